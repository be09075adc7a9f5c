import type { Clock, Logger } from "@muster/service";
import { isStoreUnavailable } from "@muster/store";
import type { Machine } from "../engine/machine.ts";
import type { Held } from "../store/moves.ts";
import { isExpired, type SessionState, type StoredExecution, sizeOf } from "../store/session-document.ts";
import type { SessionStore } from "../store/session-store.ts";
import type { StopCause } from "./stop-cause.ts";

export interface CheckpointDependencies {
  store: SessionStore;
  clock: Clock;
  log: Logger;
  /** When a session expires that is active now. */
  expiryFrom(nowMs: number): Date | null;
}

export type WriteOutcome = "written" | Extract<StopCause, "cleared" | "lost" | "store-down" | "too-large">;

/** Stores where a machine stands, for as long as its session is held. */
export class Checkpoints {
  readonly #deps: CheckpointDependencies;
  readonly #held: Held;
  readonly #machine: Machine;
  readonly #maxBytes: number;

  constructor(deps: CheckpointDependencies, turn: { held: Held; machine: Machine; maxStateBytes: number }) {
    this.#deps = deps;
    this.#held = turn.held;
    this.#machine = turn.machine;
    this.#maxBytes = turn.maxStateBytes;
  }

  /** On the way: a successor would find the turn half-way and close it. */
  save(): Promise<WriteOutcome> {
    const { store, clock } = this.#deps;
    return this.#write("running", (state) => store.save(this.#held, state, new Date(clock.now())));
  }

  /** At the end: frees the session too. */
  settle(as: "paused" | "over"): Promise<WriteOutcome> {
    const { store, clock, expiryFrom } = this.#deps;
    const nowMs = clock.now();
    return this.#write(as, (state) => store.settle(this.#held, state, expiryFrom(nowMs), new Date(nowMs)));
  }

  /** Frees the session as it was last stored. */
  async release(): Promise<void> {
    const { store, clock, expiryFrom, log } = this.#deps;
    try {
      await store.release(this.#held, expiryFrom(clock.now()));
    } catch (error) {
      log.error({ err: error, ...this.#held }, "a session could not be freed; its lease will run out");
    }
  }

  async #write(
    as: StoredExecution["state"] | "over",
    write: (state: SessionState) => Promise<boolean>,
  ): Promise<WriteOutcome> {
    const state = this.#state(as);
    if (sizeOf(state) > this.#maxBytes) return "too-large";
    try {
      return (await write(state)) ? "written" : await whyLost(this.#deps, this.#held);
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
      this.#deps.log.error({ err: error, ...this.#held }, "an execution could not be stored");
      return "store-down";
    }
  }

  #state(as: StoredExecution["state"] | "over"): SessionState {
    const { conversation, frame } = this.#machine;
    return {
      conversation: JSON.stringify(conversation),
      execution: as === "over" ? null : { id: frame.executionId, state: as, frame: JSON.stringify(frame) },
    };
  }
}

/** What has become of a session that a holder could not write. */
export async function whyLost(
  { store, clock }: Pick<CheckpointDependencies, "store" | "clock">,
  held: Held,
): Promise<"cleared" | "lost"> {
  const session = await store.find(held);
  return session === null || isExpired(session, clock.now()) ? "cleared" : "lost";
}
