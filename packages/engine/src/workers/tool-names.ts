import type { Turn } from "../turn/turn.ts";

/** The name under which the caller knows a worker's tool: each definition on the way may replace it with one of its own. */
export function requestedName(turn: Turn, toolName: string): string {
  const { origin } = turn;
  if (origin === undefined) return toolName;
  const { workers } = origin.parent.program;
  const slug = origin.part.toolName;
  const tools = Object.hasOwn(workers, slug) ? (workers[slug]?.tools ?? {}) : {};
  const replacement = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
  return replacement === undefined ? toolName : requestedName(origin.parent, replacement);
}
