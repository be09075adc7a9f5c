import type { JsonValue } from "@muster/protocol";
import type { ToolOutcome } from "../boundary/machine.ts";
import type { ToolCallPart } from "../conversation/conversation.ts";
import { cancelCall, failCall, fulfilCall, type Show } from "../shown/call-events.ts";
import { emit, messagesOfTurn, type Turn, whereabouts } from "../turn/turn.ts";

/** Marks the thread's calls as pending: the caller has to carry them out. */
export function requestCalls(turn: Turn, calls: readonly ToolCallPart[], thread: string): void {
  for (const part of calls) part.status = "running";
  const where = whereabouts(turn, thread);
  turn.frame.pendingToolCalls = calls.map(({ toolCallId, toolName, args, source }) => ({
    toolCallId,
    toolName,
    args,
    source,
    ...where,
  }));
}

/** Applies the outcomes to the pending calls, in the order in which these were made. Returns their parts. */
export function applyOutcomes(turn: Turn, outcomes: readonly ToolOutcome[]): ToolCallPart[] {
  const given = new Map(outcomes.map(({ toolCallId, outcome }) => [toolCallId, outcome]));
  const parts: ToolCallPart[] = [];
  const pending = pendingParts(turn);
  for (const { toolCallId, thread } of turn.frame.pendingToolCalls) {
    const part = pending.get(toolCallId);
    if (part === undefined) continue;
    applyOutcome(part, given.get(toolCallId), (event) => emit(turn, event, thread));
    parts.push(part);
  }
  turn.frame.pendingToolCalls = [];
  turn.frame.worthSaving = true;
  return parts;
}

function applyOutcome(part: ToolCallPart, outcome: ToolOutcome["outcome"] | undefined, show: Show): void {
  if (outcome === undefined) cancelCall(part, "The call was cancelled: no result was sent.", show);
  else if (outcome.type === "error") failCall(part, outcome.error, show);
  else fulfilCall(part, outcome.result satisfies JsonValue, show);
}

/** The parts of the pending calls, by id. One pass over the turn, however many calls there are. */
function pendingParts(turn: Turn): Map<string, ToolCallPart> {
  const ids = new Set(turn.frame.pendingToolCalls.map(({ toolCallId }) => toolCallId));
  const found = new Map<string, ToolCallPart>();
  for (const { parts } of messagesOfTurn(turn)) {
    for (const part of parts)
      if (part.type === "tool-call" && ids.has(part.toolCallId)) found.set(part.toolCallId, part);
  }
  return found;
}
