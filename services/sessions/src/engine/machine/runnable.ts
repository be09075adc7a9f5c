import { type Block, notRunYet } from "@muster/protocol";
import { configOf } from "../turn/threads.ts";
import type { Turn } from "../turn/turn.ts";

/** Why a block cannot run, in a sentence; undefined when it can. Found out before anything of it happens. */
export function obstacleTo(turn: Turn, block: Block): string | undefined {
  const config = configOf(turn, block.thread);
  if (block.kind === "next-message" && config === undefined) {
    const thread = JSON.stringify(block.thread);
    return `${cannotRun(block)} the thread ${thread} has not been started. Let a start-thread block run before it.`;
  }
  const missing = notRunYet(block, config);
  if (missing === undefined) return undefined;
  return `${cannotRun(block)} ${asSubject(missing)} not available on this server yet.`;
}

function cannotRun({ name }: Block): string {
  return `Block ${JSON.stringify(name)} cannot run:`;
}

/** `Running workers` is one thing, `Skills` are several; `MCP` keeps its capitals. */
function asSubject(what: string): string {
  const [first = ""] = what.split(" ");
  const isMany = what.endsWith("s") && !first.endsWith("ing");
  const start = first === first.toUpperCase() ? first : first.toLowerCase();
  return `${start}${what.slice(first.length)} ${isMany ? "are" : "is"}`;
}
