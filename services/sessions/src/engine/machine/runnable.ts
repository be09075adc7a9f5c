import { type Block, type JsonValue, notRunYet } from "@muster/protocol";
import { readVariable } from "../turn/scope.ts";
import { configOf } from "../turn/threads.ts";
import type { Turn } from "../turn/turn.ts";
import { isSummarizing, noClientTools } from "../workers/summarizing.ts";

/** Explains in a sentence why a block cannot run; undefined if it can. Checked before the block does anything. */
export function obstacleTo(turn: Turn, block: Block): string | undefined {
  const config = configOf(turn, block.thread);
  if (block.kind === "next-message" && config === undefined) {
    const thread = JSON.stringify(block.thread);
    return `${cannotRun(block)} the thread ${thread} has not been started. Run a start-thread block before it.`;
  }
  if (block.kind === "tool-call" && isSummarizing(turn)) return `${cannotRun(block)} ${noClientTools}`;
  const missing = notRunYet(block, (name) => hasValue(readVariable(turn, name)));
  if (missing === undefined) return undefined;
  return `${cannotRun(block)} ${asSubject(missing)} not available on this server yet.`;
}

/** An optional file that was not sent does not count. */
function hasValue(value: JsonValue | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
}

function cannotRun({ name }: Block): string {
  return `Block ${JSON.stringify(name)} cannot run:`;
}

/** `Generating images` is singular, `Skills` is plural; `MCP` keeps its capitals. */
function asSubject(what: string): string {
  const [first = ""] = what.split(" ");
  const isMany = what.endsWith("s") && !first.endsWith("ing");
  const start = first === first.toUpperCase() ? first : first.toLowerCase();
  return `${start}${what.slice(first.length)} ${isMany ? "are" : "is"}`;
}
