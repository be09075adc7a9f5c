import type { ArchivedRange } from "../store/session-document.ts";

/** The archived part of a conversation as ranges of generations; see `ArchivedRange`. */
export type Head = readonly ArchivedRange[];

export function endOf(head: Head): number {
  return head.at(-1)?.to ?? 0;
}

export function bytesOf(head: Head): number {
  return head.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Keeps the positions before `at`; later ones get another generation, because they may have been used before. */
export function cutHead(head: Head, at: number, gen: string): Head {
  const kept = head.flatMap((range) => (range.from < Math.min(at, range.to) ? shortened(range, at) : []));
  const end = endOf(kept);
  return [...kept, { gen, from: end, to: end, bytes: 0 }];
}

function shortened(range: ArchivedRange, at: number): ArchivedRange {
  const { from, to, bytes } = range;
  if (to <= at) return range;
  return { ...range, to: at, bytes: Math.ceil((bytes * (at - from)) / (to - from)) };
}

/** Appends to the last generation. */
export function extendHead(head: Head, to: number, bytes: number): Head {
  const last = head.at(-1);
  if (last === undefined || to <= last.to) return head;
  return [...head.slice(0, -1), { ...last, to, bytes: last.bytes + bytes }];
}

/** The end of the positions that have the same messages in both. */
export function commonEnd(one: Head, other: Head): number {
  let end = 0;
  for (const [index, { gen, from, to }] of one.entries()) {
    const twin = other[index];
    if (twin?.gen !== gen || twin.from !== from) return end;
    end = Math.min(to, twin.to);
    if (to !== twin.to) return end;
  }
  return end;
}
