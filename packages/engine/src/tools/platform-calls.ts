import {
  checkValue,
  isJsonObject,
  type JsonValue,
  type NextMessageBlock,
  type ValueIssue,
} from "@muster/language";
import type { StoredPart, ToolCallPart } from "../conversation/conversation.ts";
import { failCall, fulfilCall, type Show } from "../shown/call-events.ts";
import { configOf } from "../turn/scope.ts";
import { emit, type Turn } from "../turn/turn.ts";
import { type PlatformCall, type PlatformOutcome, platformToolOf } from "./platform-tools.ts";

/** True if the thread's model made the call and the platform tool is offered to it. */
export function isPlatformCall(turn: Turn, thread: string, part: StoredPart): boolean {
  if (part.type !== "tool-call" || part.source !== "llm") return false;
  const config = configOf(turn, thread);
  return config !== undefined && platformToolOf(part.toolName)?.isOffered(config, turn) === true;
}

/** Carries out the step's calls of platform tools, or leaves them to the driver. A turn pauses only for the others. */
export function settlePlatformCalls(
  turn: Turn,
  block: NextMessageBlock,
  calls: readonly ToolCallPart[],
): void {
  const config = configOf(turn, block.thread);
  if (config === undefined) return;
  const show: Show = (event) => emit(turn, event, block.thread);
  for (const part of calls) {
    const tool = part.status === "pending" ? platformToolOf(part.toolName) : undefined;
    if (tool === undefined) continue;
    const outcome = carryOut(tool, part.args, { turn, block, config });
    if (outcome === undefined) continue;
    if (!outcome.ok) failCall(part, outcome.error, show);
    else if ("result" in outcome) fulfilCall(part, outcome.result, show);
    else refer(part, outcome.reference);
  }
}

/** Emits no event: users see only the name of the tool. */
function refer(part: ToolCallPart, reference: string): void {
  part.status = "done";
  part.reference = reference;
}

function carryOut(
  tool: NonNullable<ReturnType<typeof platformToolOf>>,
  args: JsonValue,
  call: PlatformCall,
): PlatformOutcome | undefined {
  const issues: ValueIssue[] = [];
  checkValue(tool.inputSchema, args, "arguments", issues);
  const [issue] = issues;
  if (issue !== undefined || !isJsonObject(args)) {
    return { ok: false, error: issue?.message ?? "The arguments must be a JSON object." };
  }
  return tool.run(args, call);
}
