import type { Pace } from "../pace.ts";
import type { Steps } from "../steps.ts";
import type { RowId } from "../storage/index-table.ts";

/** `paused`: the slice has ended, and others must run before the source continues. `stopped`: `visit` returned false. */
export type Progress = "ended" | "stopped" | "paused";

/** A source that yields items on demand. It keeps its place between calls, and other commands may run in between. */
export interface Source<Item> {
  /** Passes items to `visit` until it returns false. */
  run(visit: (item: Item) => boolean): Progress;
}

/** A stored document, or one computed from others, whose row is 0. */
export interface Found {
  readonly content: Buffer;
  readonly row: RowId;
}

export type DocumentSource = Source<Found>;

/** Reads until `visit` returns false, in slices; returns true at the end. */
export function* read<Item>(source: Source<Item>, visit: (item: Item) => boolean): Steps<boolean> {
  for (;;) {
    const progress = source.run(visit);
    if (progress !== "paused") return progress === "ended";
    yield;
  }
}

/** The documents that are already in memory. */
export function fromMemory(contents: readonly Buffer[]): DocumentSource {
  return mapped(fromIterator(contents.values()), (content) => ({ content, row: 0 }));
}

/** Items of which each costs work, such as groups. */
export function fromIterator<Item>(items: Iterator<Item>, pace?: Pace): Source<Item> {
  let next = items.next();
  return {
    run: (visit) => {
      while (!next.done) {
        const item = next.value;
        next = items.next();
        if (!visit(item)) return next.done ? "ended" : "stopped";
        if (pace?.spend(0)) return "paused";
      }
      return "ended";
    },
  };
}

export function mapped<From, To>(source: Source<From>, convert: (item: From) => To): Source<To> {
  return { run: (visit) => source.run((item) => visit(convert(item))) };
}

/** Skips and limits; a limit of 0 means all. */
export function window<Item>(source: Source<Item>, skip: number, limit: number): Source<Item> {
  let skipped = 0;
  let given = 0;
  const isFull = () => limit > 0 && given >= limit;
  return {
    run: (visit) => {
      if (isFull()) return "ended";
      const progress = source.run((item) => {
        if (skipped < skip) return ++skipped > 0;
        given++;
        return visit(item) && !isFull();
      });
      return isFull() ? "ended" : progress;
    },
  };
}
