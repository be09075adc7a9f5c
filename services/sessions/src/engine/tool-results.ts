import type { JsonValue } from "@muster/protocol";
import type { ToolCallPart } from "./conversation.ts";
import type { ToolOutcome } from "./machine.ts";
import { failCall, fulfilCall } from "./model/step-calls.ts";
import { emit, type Turn } from "./turn.ts";

/** Pauses: these calls are for the caller to carry out. */
export function requestCalls(turn: Turn, calls: readonly ToolCallPart[]): void {
  for (const part of calls) part.status = "running";
  turn.frame.pendingToolCalls = calls.map(({ toolCallId, toolName, args, source }) => ({
    toolCallId,
    toolName,
    args,
    source,
  }));
}

/** Gives the pending calls their outcomes, in the order in which they were made. Returns their parts. */
export function applyOutcomes(turn: Turn, outcomes: readonly ToolOutcome[]): ToolCallPart[] {
  const given = new Map(outcomes.map(({ toolCallId, outcome }) => [toolCallId, outcome]));
  const parts = turn.frame.pendingToolCalls.flatMap(({ toolCallId }) => findCall(turn, toolCallId) ?? []);
  for (const part of parts) applyOutcome(turn, part, given.get(part.toolCallId));
  turn.frame.pendingToolCalls = [];
  turn.frame.worthSaving = true;
  return parts;
}

function applyOutcome(turn: Turn, part: ToolCallPart, outcome: ToolOutcome["outcome"] | undefined): void {
  const show = emit.bind(undefined, turn);
  if (outcome === undefined)
    failCall(part, "The call was cancelled: no result was given.", show, "cancelled");
  else if (outcome.type === "error") failCall(part, outcome.error, show);
  else fulfilCall(part, outcome.result satisfies JsonValue, show);
}

function findCall({ conversation }: Turn, toolCallId: string): ToolCallPart | undefined {
  for (const { parts } of conversation.messages.toReversed()) {
    for (const part of parts) if (part.type === "tool-call" && part.toolCallId === toolCallId) return part;
  }
  return undefined;
}
