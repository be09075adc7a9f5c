import type { Effect, Frame, RequestedApproval } from "@muster/engine";
import { largeFrom, turnAfter } from "@muster/large-data";
import type { Clock, Logger } from "@muster/service";
import { isStoreFull, isStoreUnavailable } from "@muster/store";
import { endOf } from "@muster/store/event-log";
import type { StreamError } from "@muster/wire/error-codes";
import type { Held } from "../../store/moves.ts";
import {
  type AskingExecution,
  type ConversationFields,
  inDocument,
  isExpired,
  type SessionState,
  type StoredExecution,
  sizeOf,
} from "../../store/session-document.ts";
import { frameText } from "../../store/state-text.ts";
import type { EncodedEvent } from "../stream/event-queue.ts";
import type { DriveOrder } from "./drive-order.ts";
import { onceThereIsSpace, type Persistence } from "./once-there-is-space.ts";
import { errorAfter, mayStillWrite, type StopCause } from "./stop-cause.ts";

export interface CheckpointDependencies {
  clock: Clock;
  log: Logger;
}

type WriteOutcome =
  | "written"
  | Extract<StopCause, "cleared" | "lost" | "store-down" | "storage-full" | "too-large">;

type End = Extract<Effect, { type: "end" }>;

interface LastWrite {
  stored: boolean;
  error: StreamError | undefined;
}

/** Stores the state of a machine for as long as its session is held. */
export class Checkpoints {
  readonly #deps: CheckpointDependencies;
  readonly #order: DriveOrder;
  /** The size of the state when it was last stored or read. */
  #bytes: number;
  #displaced: DriveOrder["displaced"];

  constructor(deps: CheckpointDependencies, order: DriveOrder) {
    this.#deps = deps;
    this.#order = order;
    this.#bytes = order.bytes;
    this.#displaced = order.displaced;
  }

  /** The state is so large that passes over it must not follow one another without a break. */
  get isLarge(): boolean {
    return this.#bytes + (this.#order.history?.archivedBytes ?? 0) >= largeFrom;
  }

  /** Stores an unfinished turn. A successor that finds it closes or adopts it. `hasProgress`: see `SessionStore.save`. */
  async save(hasProgress: boolean): Promise<WriteOutcome> {
    const outcome = await this.#write("running", (state) =>
      this.#order.persistence.store.save(
        this.#order.held,
        state,
        new Date(this.#deps.clock.now()),
        hasProgress,
      ),
    );
    if (outcome === "written") this.#order.history?.archive();
    return outcome;
  }

  /**
   * Stores an unfinished turn for another process, which may adopt it at once. Nothing may be sent from this call on.
   * `hasProgress`: see `SessionStore.save`.
   */
  handOver(hasProgress: boolean): Promise<WriteOutcome> {
    const { handOver } = this.#order.persistence;
    return this.#write("running", async (state) => {
      if (handOver === undefined || state.pendingEvents === undefined) return false;
      const last = endOf(state.pendingEvents);
      return handOver(this.#order.held, state, new Date(this.#deps.clock.now()), { last, hasProgress });
    });
  }

  /**
   * Stores the machine's final state and frees the session, as far as the stop cause allows. If `error` is set,
   * the stream must end with it instead of the machine's own events. `lastEvents`: the events that follow if the state
   * is stored; they are stored with it.
   */
  async end(
    end: End,
    cause: StopCause | undefined,
    lastEvents: (error: StreamError | undefined) => EncodedEvent[],
  ): Promise<LastWrite> {
    const { keeps } = this.#order.persistence;
    const { outcome } = end;
    const error = outcome === "aborted" ? cause && errorAfter(cause, keeps) : undefined;
    if (cause !== undefined && !mayStillWrite(cause))
      return { stored: false, error: errorAfter(cause, keeps) };
    if (keeps === "pauses" && cameToNothing(end)) {
      await this.release();
      return { stored: false, error };
    }
    const written = cause === "too-large" ? cause : await this.#settle(end, () => lastEvents(error));
    // A state that outgrew the limit or the disk is dropped; the last stored one remains.
    if (written === "too-large" || written === "storage-full") await this.release();
    return written === "written"
      ? { stored: true, error }
      : { stored: false, error: errorAfter(written, keeps) };
  }

  #settle(end: End, lastEvents: () => EncodedEvent[]): Promise<WriteOutcome> {
    const { persistence, requestApprovals, held } = this.#order;
    const as = end.outcome === "paused" || end.outcome === "asking" ? end.outcome : "over";
    return this.#write(
      as,
      async (state) => {
        const nowMs = this.#deps.clock.now();
        if (end.outcome === "asking") await requestApprovals?.(end.approvals);
        const expiresAt = persistence.expiry[as === "asking" ? "paused" : as](nowMs);
        const stays = end.outcome === "asking" ? laterOf(expiresAt, end.approvals) : expiresAt;
        return persistence.store.settle(held, state, stays, new Date(nowMs));
      },
      lastEvents,
    );
  }

  /** Frees the session and leaves its last stored state unchanged, but for its usage, which is to be paid. */
  async release(): Promise<void> {
    const { clock, log } = this.#deps;
    const { store, expiry } = this.#order.persistence;
    try {
      await store.release(this.#order.held, expiry.held(clock.now()), this.#usage());
    } catch (error) {
      log.error({ err: error }, "a session could not be freed; its lease will expire");
    }
  }

  async #write(
    as: StoredExecution["state"] | "over",
    write: (state: SessionState) => Promise<boolean>,
    lastEvents?: () => EncodedEvent[],
  ): Promise<WriteOutcome> {
    const { clock, log } = this.#deps;
    const { waitsForSpace } = this.#order.persistence;
    await this.#order.history?.idle();
    // Conversation and frame must be of the same moment: the model may be sending parts.
    const snapshot = this.#order.history?.snapshot(this.#order.machine.conversation);
    const state = this.#state(as, snapshot?.fields ?? inDocument(this.#order.machine.conversation));
    const { store: storeDisplaced, ...earlier } = this.#displaced ?? {};
    const isOpen = as === "asking" && this.#order.persistence.continuesDecided === true;
    const pendingEvents = this.#order.eventLog?.pending(lastEvents?.(), isOpen);
    const lastEntry = lastEvents && this.#order.executionLog?.lastEntry;
    if (lastEntry !== undefined) state.lastEntry = lastEntry;
    if (pendingEvents !== undefined) Object.assign(state, { pendingEvents, ...earlier });
    this.#bytes = sizeOf(state);
    if (this.#bytes > this.#order.maxStateBytes) return "too-large";
    await turnAfter(this.#bytes);
    const writeNext = async () => {
      await storeDisplaced?.();
      return write(state);
    };
    try {
      const isWritten = await (waitsForSpace ? onceThereIsSpace(writeNext) : writeNext());
      if (!isWritten) return await whyLost(this.#order.persistence, this.#order.held, clock.now());
      if (snapshot !== undefined) this.#order.history?.written(snapshot);
      if (pendingEvents !== undefined) this.#order.eventLog?.keptWithTurn(pendingEvents);
      this.#displaced = undefined;
      return "written";
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
      log.error({ err: error }, "an execution could not be stored");
      return isStoreFull(error) ? "storage-full" : "store-down";
    }
  }

  #state(as: StoredExecution["state"] | "over", conversation: ConversationFields): SessionState {
    const { frame } = this.#order.machine;
    if (as !== "over") {
      const { fees } = this.#order.meter;
      const asks = as === "asking" ? { asks: this.#asks() } : {};
      const { maxUsd } = this.#order;
      const limit = maxUsd === undefined ? {} : { maxUsd };
      const execution = {
        id: frame.executionId,
        state: as,
        frame: frameText(frame),
        fees,
        ...limit,
        ...asks,
      };
      return { ...conversation, ...this.#usage(), execution };
    }
    return this.#order.persistence.keeps === "pauses"
      ? { input: null, tail: null, memory: null, execution: null }
      : { ...conversation, ...this.#usage(), execution: null };
  }

  #asks(): AskingExecution {
    const { held, eventLog, reportsUsage, machine, keyId } = this.#order;
    return {
      ...(keyId !== undefined && { keyId }),
      approvalIds: approvalIdsOf(machine.frame),
      run: eventLog?.key.run ?? held.epoch,
      reportsUsage,
    };
  }

  #usage(): Pick<SessionState, "usage"> {
    const usage = this.#order.sessionMeter?.text;
    return usage === undefined ? {} : { usage };
  }
}

/** An open approval keeps its session for an hour longer. */
const keptAfterApprovalMs = 3_600_000;

function laterOf(expiresAt: Date | null, approvals: readonly RequestedApproval[]): Date | null {
  if (expiresAt === null) return null;
  const ends = approvals.map(({ expiresAt }) => Date.parse(expiresAt) + keptAfterApprovalMs);
  return new Date(Math.max(expiresAt.getTime(), ...ends));
}

/** The approvals that the turn and its workers wait for. */
function approvalIdsOf({ pendingApprovals = [], workers = [] }: Frame): string[] {
  const own = pendingApprovals.map(({ approvalId }) => approvalId);
  return [...own, ...workers.flatMap(({ frame }) => approvalIdsOf(frame))];
}

/** The execution has no result: the pause that it continued from stays, so that the caller can try again. */
function cameToNothing({ outcome, events }: End): boolean {
  return outcome === "aborted" || events.some((event) => event.type === "error" && event.retryable);
}

/** Why a holder could not write its session. */
export async function whyLost(
  { store }: { store: Pick<Persistence["store"], "find"> },
  held: Held,
  nowMs: number,
): Promise<"cleared" | "lost"> {
  const session = await store.find(held);
  return session === null || isExpired(session, nowMs) ? "cleared" : "lost";
}

/**
 * Stores a turn once during a long first step, so that readers of the session see the turn and a crash keeps the
 * user's message. A short turn ends before that and costs no extra write.
 */
export class EarlySave {
  readonly #afterMs: number;
  readonly #save: () => Promise<void>;
  readonly #isBusy: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> | undefined;

  /**
   * `save` must not reject. `isBusy`: the turn's state is ahead of the events that were sent, and the events stored
   * with it would be missing from the stream if the process died. The save waits as long again.
   */
  constructor(afterMs: number, save: () => Promise<void>, isBusy: () => boolean) {
    this.#afterMs = afterMs;
    this.#save = save;
    this.#isBusy = isBusy;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      if (this.#isBusy()) this.start();
      else this.#saving = this.#save();
    }, this.#afterMs);
  }

  /**
   * Must be awaited before every other write of the turn: on another connection to the store, the early write could
   * arrive later and undo it.
   */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#saving;
  }
}
