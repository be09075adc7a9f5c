import type { JSONSchema7, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { Display, JsonObject } from "@muster/protocol";
import type { Turn } from "./turn.ts";

/** How a call of a tool is shown. */
export interface ToolLook {
  display: Display;
  title?: string | undefined;
  description?: string | undefined;
}

/** The tools that the main thread's model may call: the agent's own first, then the caller's where names differ. */
export function offeredTools(turn: Turn): LanguageModelV4FunctionTool[] {
  const { program, frame } = turn;
  const names = new Set(program.agent.tools);
  const declared = program.agent.tools.flatMap((name) => program.tools[name] ?? []);
  const dynamic = frame.dynamicTools.filter(({ name }) => !names.has(name));
  return [...declared, ...dynamic].map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema: asSchema(inputSchema),
  }));
}

export function isOffered(turn: Turn, name: string): boolean {
  return (
    turn.program.agent.tools.includes(name) || turn.frame.dynamicTools.some((tool) => tool.name === name)
  );
}

/** Also for names that nobody declared, because a model may call those too. */
export function lookOf(turn: Turn, name: string): ToolLook {
  const { tools } = turn.program;
  const declared = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (declared !== undefined) return declared;
  const dynamic = turn.frame.dynamicTools.find((tool) => tool.name === name);
  return { display: "description", description: dynamic?.description };
}

/** Schemas are passed on as data: the compiler made them, or the caller did and the provider judges them. */
export function asSchema(schema: JsonObject): JSONSchema7 {
  return schema as JSONSchema7;
}
