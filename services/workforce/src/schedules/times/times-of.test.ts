import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { instantOf, isTimezone, timesOf } from "./times-of.ts";

const minuteMs = 60_000;
const year = { from: Date.UTC(2026, 0, 1), until: Date.UTC(2027, 0, 1) };

/** The minutes of a year with the time on the wall, as if that were UTC. */
function minutesOf(timezone: string): Array<{ at: number; wall: number }> {
  const parts = {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  } as const;
  const format = new Intl.DateTimeFormat("en-US", { timeZone: timezone, hourCycle: "h23", ...parts });
  const wallAt = (at: number) => {
    const [month = 0, day = 0, of = 0, hour = 0, minute = 0] =
      format.format(at).match(/\d+/g)?.map(Number) ?? [];
    return Date.UTC(of, month - 1, day, hour, minute);
  };
  const all: Array<{ at: number; wall: number }> = [];
  // Clocks change at quarters of an hour.
  for (let quarter = year.from; quarter < year.until; quarter += 15 * minuteMs) {
    const wall = wallAt(quarter);
    for (let ms = 0; ms < 15 * minuteMs; ms += minuteMs) all.push({ at: quarter + ms, wall: wall + ms });
  }
  return all;
}

interface Fields {
  minute: number[] | undefined;
  hour: number[] | undefined;
  day: number[] | undefined;
  month: number[] | undefined;
  weekday: number[] | undefined;
}

function matches({ minute, hour, day, month, weekday }: Fields, wall: number): boolean {
  const date = new Date(wall);
  const has = (set: number[] | undefined, value: number) => set === undefined || set.includes(value);
  const [isDay, isWeekday] = [has(day, date.getUTCDate()), has(weekday, date.getUTCDay())];
  const isDate = day !== undefined && weekday !== undefined ? isDay || isWeekday : isDay && isWeekday;
  return (
    isDate &&
    has(minute, date.getUTCMinutes()) &&
    has(hour, date.getUTCHours()) &&
    has(month, date.getUTCMonth() + 1)
  );
}

/** Minute by minute: skipped ones at the end of the gap, repeated ones once, unless every hour is meant. */
function walk(fields: Fields, minutes: ReadonlyArray<{ at: number; wall: number }>): number[] {
  const found = new Set<number>();
  // No clock changes at the start of the year.
  let latest = (minutes[0]?.wall ?? 0) - minuteMs;
  for (const { at, wall } of minutes) {
    if (fields.hour === undefined) {
      if (matches(fields, wall)) found.add(at);
    } else if (wall > latest) {
      const from = Math.max(latest + minuteMs, wall - 2 * 3_600_000);
      for (let skipped = from; skipped <= wall; skipped += minuteMs)
        if (matches(fields, skipped)) found.add(at);
    }
    latest = Math.max(latest, wall);
  }
  return [...found];
}

const set = (min: number, max: number) =>
  fc.option(fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }), { nil: undefined });
const fields = fc.record({
  minute: set(0, 59),
  // Clocks change in the first hours.
  hour: fc.oneof(set(0, 4), set(0, 23)),
  day: set(1, 28),
  month: set(1, 12),
  weekday: set(0, 6),
});

for (const timezone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]) {
  test(`the times of a year in ${timezone} are those that a walk over its minutes finds`, () => {
    const minutes = minutesOf(timezone);
    const changes = minutes.filter(({ wall }, index) => wall !== (minutes[index - 1]?.wall ?? 0) + minuteMs);
    const property = fc.property(fields, fc.nat(365 * 1_440 - 1), (chosen, minute) => {
      const cron = Object.values(chosen)
        .map((values) => values?.join() ?? "*")
        .join(" ");
      const times = timesOf({ cron, timezone });
      const expected = walk(chosen, minutes);
      const at = [...changes.map((change) => change.at - 150 * minuteMs), year.from + minute * minuteMs];
      for (const from of at.filter((each) => each >= year.from)) {
        let next = new Date(from - 1);
        for (const time of expected.filter((each) => each >= from).slice(0, 40)) {
          next = times.next(next) ?? new Date(0);
          assert.equal(next.toISOString(), new Date(time).toISOString(), cron);
          assert.equal(times.latest(new Date(time + 1))?.getTime(), time, cron);
        }
        const before = expected.findLast((each) => each <= from);
        if (before !== undefined) assert.equal(times.latest(new Date(from))?.getTime(), before, cron);
      }
    });
    fc.assert(property, { numRuns: 4 * Number(process.env.LONG_RUN ?? 1) });
  });
}

test("a single time is read in its zone, at the end of a gap, the first of two, and with its offset", () => {
  for (const [text, timezone, instant] of [
    ["2026-12-01T09:00", "Asia/Kathmandu", "2026-12-01T03:15:00.000Z"],
    ["2026-12-01T09:00:00", "Europe/Berlin", "2026-12-01T08:00:00.000Z"],
    ["2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:00:00.000Z"],
    ["2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00.000Z"],
    ["2026-12-01T09:00:30Z", "Europe/Berlin", "2026-12-01T09:00:30.000Z"],
    ["2026-12-01T09:00:00.5+02:00", "UTC", "2026-12-01T07:00:00.500Z"],
    ["2026-02-29T09:00", "UTC", undefined],
    ["2026-13-01T09:00", "UTC", undefined],
    ["2026-12-01T24:00", "UTC", undefined],
    ["2026-12-01T09:00:30", "UTC", undefined],
    ["2026-12-01", "UTC", undefined],
    ["tomorrow", "UTC", undefined],
    ["2026-12-01T09:00:00+99:00", "UTC", undefined],
  ] as const)
    assert.equal(instantOf(text, timezone)?.toISOString(), instant, text);
});

test("zones have IANA names; offsets are none", () => {
  for (const name of ["Europe/Berlin", "UTC", "America/Argentina/Ushuaia", "Etc/GMT+5"])
    assert.ok(isTimezone(name), name);
  for (const name of ["+02:00", "Europe/Nowhere", "", "x".repeat(65), "Europe/Berlin ", "Z"])
    assert.ok(!isTimezone(name), name);
});
