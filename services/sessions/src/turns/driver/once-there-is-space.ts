import { setTimeout } from "node:timers/promises";
import { isStoreFull } from "@muster/store";
import type { SessionStore } from "../../store/session-store.ts";

type Expiry = (nowMs: number) => Date | null;

/** Where the executions of one kind are stored, and which of their states. */
export interface Persistence {
  store: Pick<SessionStore, "find" | "renew" | "save" | "settle" | "release">;
  /** When a document that is written now expires. Null: never. */
  expiry: Readonly<Record<"held" | "paused" | "over", Expiry>>;
  /**
   * `conversation`: the session's conversation, step by step; the next turn continues from it, however this one
   * ends. `pauses`: only the state that a continuation needs; a continuation without a result can be repeated.
   */
  keeps: "conversation" | "pauses";
  /**
   * Writes that a full disk refuses are repeated until it has space. Absent: the turn ends with an error, for no
   * process waits so long.
   */
  waitsForSpace?: true;
  /** A turn that asks continues by itself, in the same run, once its approvals are decided. Absent: its caller continues it. */
  continuesDecided?: true;
  /** Stores the turn of a stopping service for the next process that reads it. Absent: the turn ends with an error. */
  handOver?: SessionStore["handOver"];
}

const againMs = 1_000;

/**
 * Repeats a write of a workforce run while the disk is full. Meanwhile no other process can take the run either, because that is
 * a write, too. The write must be harmless to repeat.
 */
export async function onceThereIsSpace<T>(write: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isStoreFull(error)) throw error;
    }
    await setTimeout(againMs);
  }
}
