import type { JsonValue } from "@muster/language";
import type { ModelFailure } from "@muster/models";
import { codeOfErrorType, type StreamError, type StreamErrorType } from "@muster/wire/error-codes";
import type { EventOf } from "@muster/wire/events";
import type { Frame, PendingApproval } from "../boundary/frame.ts";
import type { RequestedApproval } from "../boundary/machine.ts";
import { asObject, settle } from "../conversation/messages.ts";
import { toolVisibility } from "../shown/display.ts";
import type { FinishReason, StreamEvent } from "../shown/events.ts";
import { cancelHeld, requestApprovals } from "../tools/approvals.ts";
import { cancelRemote } from "../tools/remote-calls.ts";
import { cancelRequests } from "../tools/tool-results.ts";
import { readVariable } from "../turn/scope.ts";
import { closeBlock, type Turn } from "../turn/turn.ts";
import { endWorker } from "../workers/end-worker.ts";

/**
 * Pauses until the results of all calls arrive that the turn and its workers wait for, perhaps in another process. Only
 * then users are asked about the calls that need a decision.
 */
export function pause({ tree }: Turn): void {
  const { root, workers } = tree;
  const { frame } = root;
  const waiting = [...workers.values()];
  frame.pendingToolCalls.push(...waiting.flatMap((worker) => worker.frame.pendingToolCalls));
  for (const turn of [...waiting.reverse(), root]) closeBlock(turn, { status: "running" });
  root.hasReader = false;
  if (frame.pendingToolCalls.length === 0) {
    ask(root);
    return;
  }
  frame.phase = "waiting";
  const request: StreamEvent = { type: "tool-request", toolCalls: [...frame.pendingToolCalls] };
  const held = [root, ...tree.workers.values()].flatMap((turn) => turn.frame.pendingApprovals ?? []);
  const events = [request, { ...finishEvent(root, "tool-calls"), ...openCallsIn(held) }];
  root.effects.push({ type: "end", outcome: "paused", messageId: frame.messageId, events });
}

/** Asks users, and waits for services that have accepted calls. */
function ask(root: Turn): void {
  const { frame } = root;
  const requested = requestApprovals(root);
  const approvals = requested.filter(({ isOpen }) => !isOpen).map(approvalShown);
  frame.phase = "asking";
  const finish = {
    ...finishEvent(root, "other"),
    ...(approvals.length > 0 && { approvals }),
    ...openCallsIn(requested),
  };
  const events: StreamEvent[] =
    approvals.length > 0 ? [{ type: "approval-request", approvals }, finish] : [finish];
  const { messageId } = frame;
  root.effects.push({ type: "end", outcome: "asking", messageId, events, approvals: requested });
}

/** The calls among these that services have accepted: they are running, whatever else the turn waits for. */
function openCallsIn(held: readonly PendingApproval[]) {
  const openCalls = held
    .filter(({ isOpen }) => isOpen)
    .map(({ approvalId: callId, toolCallId, toolName, expiresAt }) => ({
      ...{ callId, toolCallId, toolName, expiresAt },
    }));
  return openCalls.length > 0 ? { openCalls } : {};
}

/** Users see the arguments as far as the call's display shows them; those who decide see all. */
function approvalShown({
  approvalId,
  toolCallId,
  toolName,
  args,
  title,
  expiresAt,
  display,
}: RequestedApproval) {
  return {
    ...{ approvalId, toolCallId, toolName },
    ...(toolVisibility[display].args
      ? { args: asObject(args), ...(title !== undefined && { title }) }
      : { args: {} }),
    expiresAt,
  };
}

export function finish(turn: Turn): void {
  close(turn);
  if (turn.origin !== undefined) endWorker(turn, turn.origin, { type: "result", ...outputOf(turn) });
  else end(turn, "finished", [...workerOutput(turn), finishEvent(turn, turn.frame.finishReason)]);
}

/** A worker that fails is an error for the model that called it. */
export function fail(turn: Turn, error: StreamError): void {
  endWorkers(turn);
  close(turn);
  if (turn.origin !== undefined) endWorker(turn, turn.origin, { type: "error", error: error.message });
  else end(turn, "failed", failureEvents(turn.frame, error));
}

/** Ends the workers that run for the turn, those that were called before their callers. */
function endWorkers(turn: Turn): void {
  for (const worker of [...turn.tree.workers.values()].reverse()) {
    if (worker.origin === undefined || !isWithin(worker, turn)) continue;
    close(worker);
    endWorker(worker, worker.origin, { type: "cancelled" });
  }
}

function isWithin({ origin }: Turn, turn: Turn): boolean {
  return origin !== undefined && (origin.parent === turn || isWithin(origin.parent, turn));
}

/** After a cancellation from elsewhere there is still a reader, whose stream must end like any other. A pause has none. */
export function abort({ tree }: Turn): void {
  const { root } = tree;
  const { length } = root.effects;
  endWorkers(root);
  close(root);
  if (!root.hasReader) root.effects.length = length;
  const result = workerError(root.frame, "The worker was stopped before it finished.");
  end(root, "aborted", root.hasReader ? [...result, finishEvent(root, "other")] : []);
}

/** The last events of a stream that cannot end as its turn did. */
export function failureEvents(frame: Pick<Frame, "workerId">, error: StreamError): StreamEvent[] {
  return [...workerError(frame, error.message), error];
}

function finishEvent({ frame }: Turn, finishReason: FinishReason): EventOf<"finish"> {
  return { type: "finish", finishReason, executionId: frame.executionId };
}

/** For every end except a pause: closes what is open, in the stream and in the conversation. */
function close(turn: Turn): void {
  turn.step?.stop();
  turn.step = undefined;
  if (turn.frame.pendingToolCalls.length > 0) cancelRequests(turn);
  if (turn.frame.remoteCalls !== undefined) cancelRemote(turn);
  if (turn.frame.pendingApprovals !== undefined) cancelHeld(turn);
  closeBlock(turn, { status: "cancelled" });
  settle(turn.conversation, turn.firstMessage);
}

function end(turn: Turn, outcome: "finished" | "failed" | "aborted", events: StreamEvent[]): void {
  const { frame, tree } = turn;
  delete frame.open;
  frame.pendingToolCalls = [];
  frame.phase = "over";
  tree.due.length = 0;
  tree.calls.length = 0;
  turn.effects.push({ type: "end", outcome, messageId: frame.messageId, events });
}

/** The value of the program's `output`: null if no block wrote it, absent if the program does not declare it. */
function workerOutput(turn: Turn): StreamEvent[] {
  const { workerId } = turn.frame;
  return workerId === undefined ? [] : [{ type: "worker-result", workerId, ...outputOf(turn) }];
}

function outputOf(turn: Turn): { output?: JsonValue } {
  const { program } = turn;
  if (program.format !== "worker" || program.output === undefined) return {};
  return { output: readVariable(turn, program.output) ?? null };
}

function workerError({ workerId }: Pick<Frame, "workerId">, error: string): StreamEvent[] {
  return workerId === undefined ? [] : [{ type: "worker-result", workerId, error }];
}

export function modelFailureEvent(failure: ModelFailure): StreamError {
  const {
    errorType,
    code = codeOfErrorType[errorType],
    message,
    source,
    retryable,
    retryAfterMs,
    provider,
  } = failure;
  return {
    type: "error",
    errorType,
    message,
    source,
    retryable,
    ...(retryAfterMs !== undefined && { retryAfter: Math.ceil(retryAfterMs / 1000) }),
    code,
    provider,
  };
}

/** The definition or the value of a variable cannot be used, or the model's response is invalid. */
export function problemEvent(errorType: StreamErrorType, message: string): StreamError {
  return {
    type: "error",
    errorType,
    message,
    source: "platform",
    retryable: errorType === "execution_error",
  };
}

/** For the middle of a turn; at its beginning the trigger is refused instead. */
export const promptTooLargeEvent: StreamError = {
  type: "error",
  errorType: "execution_error",
  message: "One of the agent's prompts became too large when its values were filled in.",
  source: "platform",
  retryable: false,
  code: "PAYLOAD_TOO_LARGE",
};
