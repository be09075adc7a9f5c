/** A document whose settings users change, if they like on the condition that they know its revision. */
export interface Revised {
  /** How many revisions there were before this one. Absent: none. */
  earlierRevisions?: number;
}

/** 1 at creation. */
export function revisionOf({ earlierRevisions = 0 }: Revised): number {
  return earlierRevisions + 1;
}

/** Whether a change that is meant for these revisions, or for any if none is listed, may be made. */
export function isAtRevision(document: Revised, expected: readonly number[]): boolean {
  return expected.length === 0 || expected.includes(revisionOf(document));
}

/** The filter of a change that is meant for one of these revisions; for any if none is listed. It uses `$or`. */
export function atRevision(expected: readonly number[]) {
  if (expected.length === 0) return {};
  const none = { earlierRevisions: { $exists: false } };
  return {
    $or: expected.map((revision) => (revision === 1 ? none : { earlierRevisions: revision - 1 })),
  };
}

/** Belongs into the `$inc` of each change by a user. */
export const nextRevision = { earlierRevisions: 1 } as const;
