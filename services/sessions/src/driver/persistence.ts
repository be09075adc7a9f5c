import type { SessionStore } from "../store/session-store.ts";

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
  /** Stores the turn of a stopping service for the next process that reads it. Absent: the turn ends with an error. */
  handOver?: SessionStore["handOver"];
}
