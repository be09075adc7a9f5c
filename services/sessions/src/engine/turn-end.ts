import type { ToolCallPart } from "./conversation.ts";
import type { ErrorEvent, FinishReason, StreamEvent } from "./events.ts";
import type { PendingToolCall } from "./machine.ts";
import { settle } from "./settle.ts";
import { requestCalls } from "./tool-results.ts";
import { closeBlock, type Turn } from "./turn.ts";

/** Stops, to go on with the results of these calls, perhaps in another process. */
export function pause(turn: Turn, calls: readonly ToolCallPart[]): void {
  const { frame } = turn;
  requestCalls(turn, calls);
  closeBlock(turn);
  frame.phase = "waiting";
  turn.hasReader = false;
  const request: StreamEvent = { type: "tool-request", toolCalls: frame.pendingToolCalls.map(requested) };
  const events = [request, finishEvent(turn, "tool-calls")];
  turn.effects.push({ type: "end", outcome: "paused", messageId: frame.messageId, events });
}

function requested({ toolCallId, toolName, args, source }: PendingToolCall) {
  return { toolCallId, toolName, args, source };
}

export function finish(turn: Turn): void {
  end(turn, "finished", [finishEvent(turn, turn.frame.finishReason)]);
}

export function fail(turn: Turn, error: ErrorEvent): void {
  end(turn, "failed", [error]);
}

/** Whoever cancels from elsewhere leaves a reader behind, whose stream ends like any other. A pause has none. */
export function abort(turn: Turn): void {
  end(turn, "aborted", turn.hasReader ? [finishEvent(turn, "other")] : []);
}

function finishEvent({ frame }: Turn, finishReason: FinishReason): StreamEvent {
  return { type: "finish", finishReason, executionId: frame.executionId };
}

/** Every way out but the pause: what is open is closed, in the stream and in the conversation. */
function end(turn: Turn, outcome: "finished" | "failed" | "aborted", events: StreamEvent[]): void {
  const { frame } = turn;
  turn.step?.close();
  turn.step = undefined;
  closeBlock(turn);
  settle(turn.conversation);
  delete frame.open;
  frame.pendingToolCalls = [];
  frame.phase = "over";
  turn.effects.push({ type: "end", outcome, messageId: frame.messageId, events });
}
