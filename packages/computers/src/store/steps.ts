/**
 * The steps on the way to a stored outcome, one after the other: on disk, in the store, and the answer to the caller.
 */
export type Step = "write" | "sync" | "rename" | "delete" | "begin" | "publish" | "answer";

/** For tests, which make it fail at any of them, as if the process died there. */
export interface Steps {
  before?(step: Step): void | Promise<void>;
}
