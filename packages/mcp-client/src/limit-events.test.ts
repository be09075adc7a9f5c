import assert from "node:assert/strict";
import { ManualClock } from "@muster/service";
import fc from "fast-check";
import { test } from "vitest";
import { limitEvents } from "./limit-events.ts";

async function passedOn(chunks: Iterable<string>, clock = new ManualClock(), onEvent = () => {}) {
  async function* sent() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const events: string[] = [];
  for await (const event of limitEvents(sent(), clock, onEvent)) events.push(event.toString());
  return events;
}

test("events are passed on whole, however they are cut and whatever ends their lines", async () => {
  const events = ["data: a\n\n", "data: b\r\n\r\n", "id: 1\ndata: c\r\r", ": comment\n\n", "\n"];
  const bytes = events.join("");
  const cuts = fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      const sorted = [0, ...places.sort((left, right) => left - right), bytes.length];
      const chunks = sorted.slice(1).map((end, index) => bytes.slice(sorted[index], end));
      const passed = await passedOn([...chunks, "data: never ends"]);
      assert.equal(passed.join(""), bytes);
      assert.equal(passed.filter((event) => event.startsWith("data: a")).length, 1);
      assert.ok(passed.every((event) => /[\r\n]$/.test(event)));
    }),
  );
});

test("200 events per second are passed on for as long as they arrive, and a burst after a pause", async () => {
  const clock = new ManualClock();
  let count = 0;
  function* steady() {
    for (let second = 0; second < 20; second++) {
      yield "data: x\n\n".repeat(200);
      clock.advance(1_000);
    }
    clock.advance(60_000);
    yield "data: x\n\n".repeat(1_000);
  }
  await passedOn(steady(), clock, () => count++);
  assert.equal(count, 5_000);
  await assert.rejects(passedOn(["data: x\n\n".repeat(1_001)]), {
    name: "FetchProblem",
    reason: "too-large",
  });
});

test("an event may have a mebibyte, and no more", async () => {
  const half = "x".repeat(512 * 1024);
  assert.equal((await passedOn([half, half.slice(2), "\n\n"])).length, 1);
  await assert.rejects(passedOn([half, half, "\n"]), { reason: "too-large" });
});
