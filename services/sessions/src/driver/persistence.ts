import type { SessionStore } from "../store/session-store.ts";

type Expiry = (nowMs: number) => Date | null;

/** Where the executions of one kind are stored, and what of them. */
export interface Persistence {
  store: Pick<SessionStore, "find" | "renew" | "save" | "settle" | "release">;
  /** When the document expires that is written now. Null: never. */
  expiry: Readonly<Record<"held" | "paused" | "over", Expiry>>;
  /**
   * `conversation`: a session's, step by step; whatever ends a turn, the next goes on from there. `pauses`: what
   * a continuation needs and nothing else; one that came to nothing can be asked for again.
   */
  keeps: "conversation" | "pauses";
}
