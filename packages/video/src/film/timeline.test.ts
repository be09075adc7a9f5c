import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { collect, temporaryDirectory } from "@muster/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { TimelineEvent } from "../timeline-event.ts";
import { readTimeline, UnreadableTimeline } from "./timeline.ts";

const event = (atMs: number, json = "{}"): TimelineEvent => ({ atMs, type: "text-delta", json });
const lineOf = (value: unknown) => `${JSON.stringify(value)}\n`;

async function read(path: string): Promise<TimelineEvent[]> {
  return (await collect(readTimeline(path))).map((line) => line.event);
}

test("all events arrive in order, and the share grows to one", async (t) => {
  const path = join(await temporaryDirectory(t), "timeline");
  // Lines that end in the middle of a read, and characters that a read cuts.
  const events = Array.from({ length: 3000 }, (_, index) =>
    event(index, JSON.stringify("日本🎬".repeat(index % 40))),
  );
  await writeFile(path, events.map(lineOf).join(""));
  const lines = await collect(readTimeline(path));
  expect(lines.map((line) => line.event)).toEqual(events);
  const shares = lines.map((line) => line.share);
  expect(shares.toSorted((a, b) => a - b)).toEqual(shares);
  expect(shares.at(-1)).toBe(1);
});

test("a line that was cut is left out, wherever the file ends", async (t) => {
  const path = join(await temporaryDirectory(t), "timeline");
  const whole = Buffer.from([event(1), event(2, '"é"'), event(3)].map(lineOf).join(""));
  const first = lineOf(event(1)).length;
  for (let length = first; length < whole.length; length++) {
    await writeFile(path, whole.subarray(0, length));
    const events = await read(path);
    expect(events).toEqual([event(1), event(2, '"é"'), event(3)].slice(0, events.length));
    expect(events.length).toBeGreaterThan(0);
  }
});

test("lines that are not events are left out", async (t) => {
  const path = join(await temporaryDirectory(t), "timeline");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.json(), fc.string(), fc.constant('{"__proto__":{"atMs":1}}'))),
      async (texts) => {
        const bad = texts.map((text) => `${text.replaceAll("\n", "")}\n`).join("");
        await writeFile(path, lineOf(event(1)) + bad + lineOf({ ...event(2), atMs: -1 }) + lineOf(event(3)));
        expect(await read(path)).toEqual([event(1), event(3)]);
      },
    ),
    { numRuns: 50 },
  );
});

test("a line without an end does not fill the memory", async (t) => {
  const path = join(await temporaryDirectory(t), "timeline");
  await writeFile(path, `${lineOf(event(1))}${"x".repeat(9 << 20)}\n${lineOf(event(2))}`);
  expect(await read(path)).toEqual([event(1), event(2)]);
});

test("an empty timeline has no events", async (t) => {
  const path = join(await temporaryDirectory(t), "timeline");
  await writeFile(path, "");
  expect(await read(path)).toEqual([]);
});

test("a file without a single event, and one that is missing, are refused", async (t) => {
  const path = join(await temporaryDirectory(t), "timeline");
  await expect(read(path)).rejects.toThrow(UnreadableTimeline);
  await writeFile(path, Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x80]));
  await expect(read(path)).rejects.toThrow(UnreadableTimeline);
});
