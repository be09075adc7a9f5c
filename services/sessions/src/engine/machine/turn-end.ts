import type { StreamError } from "@muster/error-codes";
import type { Frame } from "../boundary/frame.ts";
import type { ToolCallPart } from "../conversation/conversation.ts";
import { settle } from "../conversation/settle.ts";
import type { FinishReason, StreamEvent } from "../shown/events.ts";
import { requestCalls } from "../tools/tool-results.ts";
import { closeBlock, type Turn } from "../turn/turn.ts";
import { workerError, workerOutput } from "./worker.ts";

/** Pauses until the results of the thread's calls arrive, perhaps in another process. */
export function pause(turn: Turn, calls: readonly ToolCallPart[], thread: string): void {
  const { frame } = turn;
  requestCalls(turn, calls, thread);
  closeBlock(turn, { status: "running" });
  frame.phase = "waiting";
  turn.hasReader = false;
  const request: StreamEvent = { type: "tool-request", toolCalls: [...frame.pendingToolCalls] };
  const events = [request, finishEvent(turn, "tool-calls")];
  turn.effects.push({ type: "end", outcome: "paused", messageId: frame.messageId, events });
}

export function finish(turn: Turn): void {
  close(turn);
  end(turn, "finished", [...workerOutput(turn), finishEvent(turn, turn.frame.finishReason)]);
}

export function fail(turn: Turn, error: StreamError): void {
  close(turn);
  end(turn, "failed", failureEvents(turn.frame, error));
}

/** After a cancellation from elsewhere there is still a reader, whose stream must end like any other. A pause has none. */
export function abort(turn: Turn): void {
  close(turn);
  const result = workerError(turn.frame, "The worker was stopped before it finished.");
  end(turn, "aborted", turn.hasReader ? [...result, finishEvent(turn, "other")] : []);
}

/** The last events of a stream that cannot end as its turn did. */
export function failureEvents(frame: Pick<Frame, "workerId">, error: StreamError): StreamEvent[] {
  return [...workerError(frame, error.message), error];
}

function finishEvent({ frame }: Turn, finishReason: FinishReason): StreamEvent {
  return { type: "finish", finishReason, executionId: frame.executionId };
}

/** For every end except a pause: closes what is open, in the stream and in the conversation. */
function close(turn: Turn): void {
  turn.step?.stop();
  turn.step = undefined;
  closeBlock(turn, { status: "cancelled" });
  settle(turn.conversation);
}

function end(turn: Turn, outcome: "finished" | "failed" | "aborted", events: StreamEvent[]): void {
  const { frame } = turn;
  delete frame.open;
  frame.pendingToolCalls = [];
  frame.phase = "over";
  turn.effects.push({ type: "end", outcome, messageId: frame.messageId, events });
}
