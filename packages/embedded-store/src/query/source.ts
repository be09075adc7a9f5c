import type { Steps } from "../steps.ts";
import type { RowId } from "../storage/index-table.ts";

/** `paused`: the slice has ended, and others must run before the source continues. `stopped`: `visit` returned false. */
export type Progress = "ended" | "stopped" | "paused";

/** A stored document. */
export interface Found {
  readonly content: Buffer;
  readonly row: RowId;
}

/** Documents read on demand. The source keeps its place between calls, and other commands may run in between. */
export interface DocumentSource {
  /** Passes documents to `visit` until it returns false. */
  run(visit: (found: Found) => boolean): Progress;
}

export const noDocuments: DocumentSource = { run: () => "ended" };

/** Reads until `visit` returns false, in slices; returns true at the end. */
export function* read(source: DocumentSource, visit: (found: Found) => boolean): Steps<boolean> {
  for (;;) {
    const progress = source.run(visit);
    if (progress !== "paused") return progress === "ended";
    yield;
  }
}

/** Skips and limits; a limit of 0 means all. */
export function window(source: DocumentSource, skip: number, limit: number): DocumentSource {
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
