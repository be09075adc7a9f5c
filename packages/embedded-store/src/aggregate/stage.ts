import type { Doc } from "../bson/value.ts";

/** Consumes documents one by one; `take` returns false once it needs no more. */
export interface Sink {
  take(doc: Doc): boolean;
  finish(): void;
}

/** A parsed stage: maps the sink for its output to the sink for its input. */
export type Stage = (next: Sink) => Sink;
