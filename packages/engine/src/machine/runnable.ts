import { type Block, notRunYet } from "@muster/language";
import { configOf } from "../turn/threads.ts";
import type { Turn } from "../turn/turn.ts";
import { isSummarizing, noClientTools } from "../workers/summarizing.ts";

/** Explains in a sentence why a block cannot run; undefined if it can. Checked before the block does anything. */
export function obstacleTo(turn: Turn, block: Block): string | undefined {
  const config = configOf(turn, block.thread);
  if (block.kind === "next-message" && config === undefined) {
    const thread = JSON.stringify(block.thread);
    return `${cannotExecute(block)} the thread ${thread} has not been started. Run a start-thread block before it.`;
  }
  if (block.kind === "tool-call" && isSummarizing(turn)) return `${cannotExecute(block)} ${noClientTools}`;
  const missing = notRunYet(block);
  if (missing === undefined) return undefined;
  return `${cannotExecute(block)} ${asSubject(missing)} not available on this server yet.`;
}

function cannotExecute({ name }: Block): string {
  return `Block ${JSON.stringify(name)} cannot run:`;
}

/** `Generating images` is singular, `Skills` is plural; `MCP` keeps its capitals. */
function asSubject(what: string): string {
  const [first = ""] = what.split(" ");
  const isMany = what.endsWith("s") && !first.endsWith("ing");
  const start = first === first.toUpperCase() ? first : first.toLowerCase();
  return `${start}${what.slice(first.length)} ${isMany ? "are" : "is"}`;
}
