import { setTimeout } from "node:timers/promises";
import { isJsonObject, type JsonObject, type JsonValue } from "@muster/language";
import type { TriggerRequest, WorkforceRun } from "@muster/proto/sessions";
import { Reason, type RpcFailure, readRpcError } from "@muster/rpc";
import { ClaimStopped } from "@muster/service/claim";
import type { StreamError } from "@muster/wire/error-codes";
import type { WorkforceContext } from "../../context.ts";
import type { RelayCursor } from "../../events/thread-events.ts";
import type { ThreadLog } from "../../events/thread-log.ts";
import type { StoredCall, StoredWait } from "../../store/thread-document.ts";
import type { ActiveRun } from "../slot/active-run.ts";
import { Broken } from "./broken.ts";
import { isPassing } from "./call-service.ts";

/** How a call to the session ended. */
export type CallEnd =
  /** The turn waits for the results of tool calls. */
  | { type: "calls"; calls: StoredCall[] }
  /** The turn waits for users' decisions, or for services that have accepted calls. */
  | ({ type: "asks"; executionId: string } & Pick<StoredWait, "approvalIds" | "openCalls">)
  | { type: "turn-over" }
  | { type: "failed"; error: StreamError };

export type SessionCall = TriggerRequest & { run: WorkforceRun };

interface Listener {
  /** The place that the thread's events had reached when this process took the run. */
  relayed: RelayCursor | null;
  log: ThreadLog;
  /** An event says that the conversation is stored up to there. */
  onPersisted(): void;
}

type Context = Pick<WorkforceContext, "services" | "callFor" | "timings" | "log">;

const cancelEveryMs = 250;
const retryMs = { first: 50, last: 2_000 };

/**
 * Sends a request to the session, and relays the events of its run until it ends or pauses. A broken connection is repaired
 * by the same request, which then continues the run where it is, on whichever instance. Throws {@link Broken} if the session
 * refuses or does not respond for too long; a full disk is waited for as long as it takes.
 */
export async function callSession(
  context: Context,
  run: ActiveRun,
  request: SessionCall,
  listener: Listener,
): Promise<CallEnd> {
  const relay = new Relay(request.run.requestId, listener);
  let workedAtMs = performance.now();
  for (let delayMs = retryMs.first; ; delayMs = Math.min(delayMs * 2, retryMs.last)) {
    run.check();
    const last = relay.seen;
    const failure = await attempt(
      context,
      run,
      { ...request, run: { ...request.run, ...relay.place } },
      relay,
    );
    if (relay.end !== undefined) return relay.end;
    if (relay.seen > last || failure?.reason === Reason.STORAGE_FULL) {
      workedAtMs = performance.now();
      delayMs = retryMs.first;
    }
    if (failure !== undefined) refuseFinal(run, failure);
    if (performance.now() - workedAtMs > context.timings.reconnectMs)
      throw new Broken({ at: "connection", hasBegun: relay.seen > 0 });
    context.log.info(
      { ...run.threadKey, requestId: request.run.requestId },
      "a run's stream broke; it is joined again",
    );
    await setTimeout(delayMs, undefined, { signal: run.stopping }).catch(() => undefined);
  }
}

/** Returns the error that broke the connection, if one did. */
async function attempt(
  context: Context,
  run: ActiveRun,
  request: SessionCall,
  relay: Relay,
): Promise<RpcFailure | undefined> {
  const { services, callFor } = context;
  const closing = new AbortController();
  const close = () => {
    if (run.cause === "cancelled") void cancelExecution(context, run, request.sessionId, closing);
    else closing.abort();
  };
  run.stopping.addEventListener("abort", close);
  run.abandoning.addEventListener("abort", () => closing.abort(), { signal: closing.signal });
  try {
    run.check();
    const options = callFor(run.threadKey.projectId, { signal: closing.signal });
    for await (const { events } of services.sessions.trigger(request, options)) {
      for (const { sequence, type, json } of events) relay.take(sequence, type, json);
      if (relay.end !== undefined) continue;
      await relay.listener.log.room(run.abandoning);
      if (relay.listener.log.isLost) run.stop("lost");
      run.abandoning.throwIfAborted();
    }
    return undefined;
  } catch (error) {
    if (run.cause !== undefined && run.cause !== "cancelled") throw new ClaimStopped(run.cause);
    return readRpcError(error);
  } finally {
    run.stopping.removeEventListener("abort", close);
    closing.abort();
  }
}

/** Asks the session to stop until the stream has ended: the first request can arrive before the execution has begun. */
async function cancelExecution(
  { services, callFor, timings, log }: Context,
  run: ActiveRun,
  sessionId: string,
  closing: AbortController,
): Promise<void> {
  const untilMs = performance.now() + timings.cancelMs;
  while (!closing.signal.aborted && performance.now() < untilMs) {
    try {
      const options = { signal: closing.signal, timeoutMs: timings.cancelMs };
      await services.sessions.cancelExecution({ sessionId }, callFor(run.threadKey.projectId, options));
    } catch (error) {
      if (closing.signal.aborted) return;
      log.warn({ err: error, ...run.threadKey }, "the execution of a cancelled run could not be stopped");
    }
    await setTimeout(cancelEveryMs, undefined, { signal: closing.signal }).catch(() => undefined);
  }
  closing.abort();
}

/** Returns if the request may succeed later. */
function refuseFinal(run: ActiveRun, failure: RpcFailure): void {
  if (failure.reason === Reason.STALE_DRIVER) {
    run.stopNow("lost");
  }
  run.check();
  if (isPassing(failure)) return;
  throw new Broken({ at: "session", failure });
}

/** Passes the events of a request on, each once, and notices how it ends. */
class Relay {
  readonly listener: Listener;
  readonly #requestId: string;
  /** The last event that arrived. */
  seen = 0;
  end: CallEnd | undefined;
  #relayed: number;
  #calls: StoredCall[] = [];

  constructor(requestId: string, listener: Listener) {
    this.listener = listener;
    this.#requestId = requestId;
    const { relayed } = listener;
    this.#relayed = relayed?.requestId === requestId ? relayed.sequence : 0;
  }

  /** For the next attempt. */
  get place(): { requestId: string; afterSequence: number } {
    return { requestId: this.#requestId, afterSequence: this.seen };
  }

  /** Runs for every delta. */
  take(sequence: number, type: string, json: string): void {
    if (sequence <= this.seen) return;
    this.seen = sequence;
    if (sequence > this.#relayed) {
      this.#relayed = sequence;
      this.listener.log.relay({ type, json }, { requestId: this.#requestId, sequence });
    }
    if (type === "persisted") this.listener.onPersisted();
    else if (type === "tool-request") this.#calls = readCalls(json);
    else if (type === "finish") {
      const calls = this.#calls;
      this.end = calls.length > 0 ? { type: "calls", calls } : readEnd(json);
    } else if (type === "error") this.end = { type: "failed", error: JSON.parse(json) };
  }
}

/** The end of a turn, or a pause for decisions or services. */
function readEnd(json: string): CallEnd {
  const event: JsonValue = JSON.parse(json);
  if (!isJsonObject(event)) return { type: "turn-over" };
  const approvalIds = objectsIn(event.approvals).map(({ approvalId }) => String(approvalId));
  const openCalls = objectsIn(event.openCalls).map(({ callId, toolCallId }) => ({
    ...{ callId: String(callId), toolCallId: String(toolCallId) },
  }));
  if (approvalIds.length + openCalls.length === 0) return { type: "turn-over" };
  const open = openCalls.length > 0 ? { openCalls } : {};
  return { type: "asks", executionId: String(event.executionId), approvalIds, ...open };
}

function objectsIn(list: JsonValue | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter((each) => isJsonObject(each)) : [];
}

function readCalls(json: string): StoredCall[] {
  const event: JsonValue = JSON.parse(json);
  if (!isJsonObject(event) || !Array.isArray(event.toolCalls)) return [];
  return event.toolCalls.map((call: JsonValue) => {
    const { toolCallId, toolName, args } = isJsonObject(call) ? call : {};
    return { toolCallId: String(toolCallId), name: String(toolName), args: JSON.stringify(args ?? {}) };
  });
}
