/**
 * Option of a write that is part of a deletion or frees what somebody holds: the embedded store executes it on a full disk,
 * too. Any other server ignores it.
 */
export const deletion = { comment: "deletion" } as const;
