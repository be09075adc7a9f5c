import { ClaimStopped } from "@muster/service/claim";
import type { WorkforceContext } from "../../context.ts";
import type { RelayCursor } from "../../events/thread-events.ts";
import type { ThreadLog } from "../../events/thread-log.ts";
import type { StoredMessage, StoredRequest, ThreadDocument } from "../../store/thread-document.ts";
import { ask, beginTurn, block, complete, fail, nextStep } from "../../store/thread-moves.ts";
import type { FinalStatus, LeftStatus } from "../../store/thread-transitions.ts";
import { type Breakage, classifyFailure } from "../failures/classify-failure.ts";
import type { ActiveRun } from "../slot/active-run.ts";
import { endWaitingTurn } from "../waiting/end-waiting-turn.ts";
import { Broken } from "./broken.ts";
import { type CallEnd, callSession } from "./call-session.ts";
import { inTurn } from "./in-turn.ts";
import { performCalls } from "./perform-calls.ts";
import { moveOwn, persist } from "./persist.ts";
import { placeFiles } from "./place-files.ts";
import { checkedLimits, type Prepared, prepare } from "./prepare.ts";
import type { Progress } from "./progress.ts";
import { provenanceOf } from "./provenance.ts";
import { type RunRecording, recordingOfRun, turnMessage } from "./run-recording.ts";
import { decidedCall, messageCall, resultsCall } from "./session-calls.ts";

/** After so many processes have died in the same step, it is not tried again. */
const maxTakeOvers = 5;

/** One run and the stores that it writes to. */
export interface Workplace {
  context: WorkforceContext;
  run: ActiveRun;
  log: ThreadLog;
  recording: RunRecording;
  progress: Progress;
}

/**
 * Works on a thread until it has a final status or waits for decisions, and returns the status. Starts where an earlier
 * process has left off: each call to the session and to the computer is stored before it is sent, and sending it again
 * continues it. Throws {@link ClaimStopped}.
 */
export async function work(place: Workplace, thread: ThreadDocument): Promise<LeftStatus> {
  try {
    if (thread.takeOvers > maxTakeOvers) throw new Broken({ at: "holder" });
    return await inTurn(place, thread, async () => {
      const prepared = await prepare(place.context, place.run, thread);
      return await new Turns(place, prepared, thread).run(thread);
    });
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    place.context.log.info(
      { err: error.cause, ...place.run.threadKey, at: error.breakage.at },
      "a run broke",
    );
    // A message that waits would meet the same.
    return (await endBroken(place, error.breakage, { dropsInbox: true, neverRan: thread })) ?? "failed";
  }
}

class Turns {
  readonly #place: Workplace;
  readonly #prepared: Prepared;
  /** How far an earlier process has relayed the request that was under way. */
  readonly #relayed: RelayCursor | null;
  /** The request that was under way. */
  readonly #taken: StoredRequest | null;
  #turns = 0;

  constructor(place: Workplace, prepared: Prepared, { request }: Pick<ThreadDocument, "request">) {
    this.#place = place;
    this.#taken = request;
    this.#prepared = prepared;
    this.#relayed = place.log.cursor;
  }

  async run(taken: ThreadDocument): Promise<LeftStatus> {
    let thread = taken;
    for (;;) {
      if (thread.request === null || this.#turns > 0) {
        const message = await this.#nextMessage(thread);
        if (message === undefined) return "completed";
        thread = await this.#begin(message.thread, message.next);
      }
      // A process that took the turn over may find that the message is missing.
      if (thread.message !== null) this.#place.log.message(turnMessage(thread.message));
      this.#turns += 1;
      const broken = await this.#finishTurn(thread);
      if (broken === "asks") return "queued";
      if (broken !== undefined) {
        const ended = await endBroken(this.#place, broken, {});
        if (ended !== undefined) return ended;
      }
    }
  }

  /** Undefined: no message waits, and the thread is completed. */
  async #nextMessage(
    known: ThreadDocument,
  ): Promise<{ thread: ThreadDocument; next: StoredMessage } | undefined> {
    const { context, run } = this.#place;
    const next = this.#turns === 0 ? known.inbox[0] : undefined;
    if (next !== undefined) return { thread: known, next };
    for (;;) {
      await flush(this.#place);
      const done = await moveOwn(context, run, complete(run.driver, new Date(context.clock.now())));
      if (done !== null) return undefined;
      const thread = await persist(run, () => context.threads.find(run.threadKey));
      const waiting = thread?.inbox[0];
      if (thread !== null && waiting !== undefined) return { thread, next: waiting };
    }
  }

  async #begin(thread: ThreadDocument, message: StoredMessage): Promise<ThreadDocument> {
    const { context, run, log } = this.#place;
    const { driver, threadKey, agent } = run;
    const { recording } = thread;
    if (this.#turns > 0) this.#prepared.limits = await checkedLimits(context, run);
    const placed = await placeFiles(context, run, this.#prepared.computer, thread, message);
    const at = new Date(context.clock.now());
    const turn = thread.turn + 1;
    const provenance = provenanceOf(thread, context.deployment, agent, this.#prepared.info, at);
    const request = { id: `${driver.runId}:${turn}:0`, calls: [] };
    const move = beginTurn(thread, placed, driver, {
      request,
      provenance,
      startedAt: thread.startedAt ?? at,
      ...(recording?.status === "requested" && {
        recording: { ...recording, status: "recording", startedAt: at },
      }),
    });
    const [begun] = await Promise.all([
      moveOwn(context, run, move),
      persist(run, () => context.runs.record(threadKey, turn, at)),
    ]);
    // The first command may have arrived although it seemed to fail.
    const after = begun ?? (await persist(run, () => context.threads.find(threadKey)));
    if (after?.request?.id !== request.id) throw new Error(`The turn ${request.id} could not begin`);
    if (recording?.status === "requested") this.#record(after);
    if (thread.status === "pending") log.status("running");
    context.wakeUps.threadChanged(threadKey);
    return after;
  }

  #record(begun: ThreadDocument): void {
    const recording = recordingOfRun(begun);
    if (recording !== undefined) this.#place.log.record(recording);
    this.#place.recording.begin(begun);
  }

  /** Undefined: the turn has ended well. `asks`: it waits for users' decisions, or for services. */
  async #finishTurn(begun: ThreadDocument): Promise<Breakage | "asks" | undefined> {
    const { context, run } = this.#place;
    for (let thread = begun; ; ) {
      const { request } = thread;
      if (request === null) throw new Error("A turn has no request");
      const end = await this.#send(thread, request);
      if (end.type === "turn-over") return undefined;
      if (end.type === "asks") {
        await this.#ask(thread.sessionId, request, end);
        return "asks";
      }
      if (end.type === "failed") return { at: "turn", event: end.error };
      const { connection } = this.#prepared.computer;
      const next = { id: followingId(request.id), calls: end.calls, connection };
      const moved = await moveOwn(context, run, nextStep(next, run.driver));
      thread = moved ?? { ...thread, request: next };
    }
  }

  /** An earlier process may have sent the calls of the request that this one found. */
  #sentSince({ id }: StoredRequest): number | undefined {
    return id === this.#taken?.id ? this.#taken.connection : undefined;
  }

  async #ask(
    sessionId: string,
    { id }: StoredRequest,
    { type: _, executionId, ...asked }: Extract<CallEnd, { type: "asks" }>,
  ): Promise<void> {
    const { context, run } = this.#place;
    await flush(this.#place);
    const at = new Date(context.clock.now());
    const next = { id: followingId(id), calls: [], executionId };
    try {
      await moveOwn(context, run, ask(next, { since: at, ...asked, lookAt: at }, run.driver));
    } catch (error) {
      // The thread was cancelled before it could wait.
      if (error instanceof ClaimStopped && error.stop === "cancelled")
        await endWaitingTurn(context, run.threadKey.projectId, { sessionId, executionId });
      throw error;
    }
  }

  async #send(thread: ThreadDocument, request: StoredRequest): Promise<CallEnd> {
    const { context, run, log, progress } = this.#place;
    const { computer, limits } = this.#prepared;
    const { agent, driver } = run;
    const common = {
      agent,
      thread,
      driver,
      tools: computer.tools,
      limits,
      requestId: request.id,
      keyId: thread.message?.keyId,
    };
    const makeCall = async () => {
      if (request.executionId !== undefined) return decidedCall(common, request.executionId);
      if (request.calls.length === 0) return messageCall(common, messageOf(thread));
      const sentSince = this.#sentSince(request);
      return resultsCall(common, await performCalls(computer, run, request, log, sentSince));
    };
    const call = await makeCall();
    return await callSession(context, run, call, {
      ...{ relayed: this.#relayed, log },
      onPersisted: progress.grown,
    });
  }
}

/** Undefined: messages wait, so the thread continues. */
export async function endBroken(
  place: Workplace,
  breakage: Breakage,
  { dropsInbox = false, neverRan }: { dropsInbox?: boolean; neverRan?: ThreadDocument },
): Promise<FinalStatus | undefined> {
  const { context, run } = place;
  const { status, type, reason } = classifyFailure(breakage);
  await flush(place);
  const at = new Date(context.clock.now());
  const closed = type === "session_too_large";
  const failure = { type, reason };
  const options = { dropsInbox: dropsInbox || closed, closed, ...(neverRan && { neverRan }) };
  const move = status === "blocked" ? block(run.driver, failure, at) : fail(run.driver, failure, at, options);
  return (await moveOwn(context, run, move)) === null ? undefined : status;
}

/** Readers see every event of a run before its end. */
async function flush({ run, log }: Workplace): Promise<void> {
  await log.flushed(run.stopping);
  if (!log.isLost) return;
  run.stopNow("lost");
}

function messageOf({ message, _id }: ThreadDocument): StoredMessage {
  if (message === null) throw new Error(`The thread ${_id} has a turn without a message`);
  return message;
}

/** `run_1:1:0` becomes `run_1:1:1`. */
function followingId(id: string): string {
  const cut = id.lastIndexOf(":");
  return `${id.slice(0, cut)}:${Number(id.slice(cut + 1)) + 1}`;
}
