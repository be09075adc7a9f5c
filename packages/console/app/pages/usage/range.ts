const dayMs = 86_400_000;

const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

export const ranges = {
  "this-month": "This month",
  "last-month": "Last month",
  "7-days": "7 days",
  "30-days": "30 days",
} as const;

export type Range = keyof typeof ranges;

/** An unknown one in the address is the default. */
export function rangeOf(text: string | undefined): Range {
  return text !== undefined && Object.hasOwn(ranges, text) ? (text as Range) : "this-month";
}

/** The first and the last day of a range, in UTC as the server counts. */
export function daysOf(range: Range, now = Date.now()): { from: string; to: string } {
  const today = isoDay(now);
  switch (range) {
    case "this-month":
      return { from: `${today.slice(0, 8)}01`, to: today };
    case "last-month": {
      const last = isoDay(Date.parse(`${today.slice(0, 8)}01`) - dayMs);
      return { from: `${last.slice(0, 8)}01`, to: last };
    }
    case "7-days":
      return { from: isoDay(now - 6 * dayMs), to: today };
    case "30-days":
      return { from: isoDay(now - 29 * dayMs), to: today };
  }
}

/** Every day from the first to the last one. */
export function eachDay({ from, to }: { from: string; to: string }): string[] {
  const days: string[] = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += dayMs) days.push(isoDay(ms));
  return days;
}
