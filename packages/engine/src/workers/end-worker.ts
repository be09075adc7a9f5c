import type { JsonValue } from "@muster/language";
import { settleWorker } from "../conversation/messages.ts";
import { cancelCall, failCall, fulfilCall } from "../shown/call-events.ts";
import type { StreamEvent } from "../shown/events.ts";
import { emit, type Origin, type Turn } from "../turn/turn.ts";

/** `output`: absent if the worker declares none. */
export type WorkerOutcome =
  | { type: "result"; output?: JsonValue }
  | { type: "error"; error: string }
  | { type: "cancelled" };

/** Gives the call of a worker its outcome. Everything in the worker is closed. */
export function endWorker(worker: Turn, origin: Origin, outcome: WorkerOutcome): void {
  const { parent, part, thread } = origin;
  const { tree, frame } = worker;
  frame.phase = "over";
  settleWorker(part);
  parent.effects.push({ type: "note", event: resultEvent(part.worker.workerId, outcome) });
  const show: Parameters<typeof failCall>[2] = (event) => emit(parent, event, thread);
  if (outcome.type === "result") fulfilCall(part, outcome.output, show);
  else if (outcome.type === "error") failCall(part, outcome.error, show);
  else cancelCall(part, stopped, show);
  const root = tree.root.frame;
  tree.workers.delete(part.worker.workerId);
  root.workers = root.workers?.filter((other) => other.frame !== frame) ?? [];
  if (root.workers.length === 0) delete root.workers;
  root.worthSaving = true;
  if (isReady(parent)) tree.due.push(parent);
}

const stopped = "The worker was stopped before it finished.";

function resultEvent(workerId: string, outcome: WorkerOutcome): StreamEvent {
  const event = { type: "worker-result", workerId } as const;
  if (outcome.type === "cancelled") return { ...event, error: stopped };
  return outcome.type === "error"
    ? { ...event, error: outcome.error }
    : { ...event, ...(outcome.output !== undefined && { output: outcome.output }) };
}

/** Nothing that a parked turn waits for is missing. */
export function isReady(turn: Turn): boolean {
  const { phase, pendingToolCalls, pendingApprovals = [], remoteCalls = [] } = turn.frame;
  const missing = pendingToolCalls.length + pendingApprovals.length + remoteCalls.length;
  if (phase !== "parked" || missing > 0) return false;
  return [...turn.tree.workers.values()].every(({ origin }) => origin?.parent !== turn);
}
