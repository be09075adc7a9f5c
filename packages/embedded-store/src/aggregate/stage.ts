import type { Doc } from "../bson/value.ts";

/** Takes documents one by one; `take` returns false when it needs no more. */
export interface Sink {
  take(doc: Doc): boolean;
  finish(): void;
}

/** A parsed stage: given where its output goes, where its input goes. */
export type Stage = (next: Sink) => Sink;
