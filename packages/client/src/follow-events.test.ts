import assert from "node:assert/strict";
import { collect, failureOf } from "@muster/testing";
import { describe, test } from "vitest";
import { followEvents } from "./follow-events.ts";
import { Patience, systemClock } from "./patience.ts";

const stream = (...lines: string[]) => new Response(lines.map((line) => `${line}\n\n`).join(""));
const data = (event: object) => `data: ${JSON.stringify(event)}`;
const delta = (text: string) => ({ type: "text-delta", id: "t", delta: text });

test("a response that the server ends early is continued after the turn's own last event, and its other events are left out", async () => {
  const first = stream(
    data({ type: "start" }),
    ": heartbeat",
    data(delta("a")),
    data({ type: "text-end", id: "t", interrupted: true }),
    data({ type: "error", lastSequence: 2 }),
    "data: [DONE]",
  );
  const cursors: number[] = [];
  const reopen = async (after: number) => {
    cursors.push(after);
    // After a gap, events have their numbers.
    return stream(
      `id: 1003\r\n${data(delta("b"))}\r`,
      data({ type: "error", message: "Failed" }),
      "data: [DONE]",
    );
  };
  const patience = new Patience({ ...systemClock, sleep: async () => undefined }, 1_000, undefined);
  const events = await collect(
    followEvents<{ type: string }>(reopen, { url: "http://m", patience }, { first }),
  );
  assert.deepEqual(
    events.map(({ event, id }) => [event.type, id]),
    [
      ["start", 1],
      ["text-delta", 2],
      ["text-delta", 1003],
      ["error", 1004],
    ],
  );
  assert.deepEqual(cursors, [2]);
});

describe("a stream without events whose responses are cut again and again", () => {
  /** `openMs`: how long each response stays open. The number of cuts before the end of the stream is fifty. */
  function followed(openMs: number) {
    const pauses: number[] = [];
    let now = 0;
    const sleep = async (ms: number) => {
      pauses.push(ms);
      now += ms;
    };
    const patience = new Patience(
      { ...systemClock, now: () => now, sleep, random: () => 1 },
      60_000,
      undefined,
    );
    const reopen = async () => {
      if (pauses.length === 50) return stream("data: [DONE]");
      const pull = (controller: ReadableStreamDefaultController) => {
        now += openMs;
        controller.close();
      };
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    };
    return { pauses, reading: collect(followEvents<object>(reopen, { url: "http://m", patience })) };
  }

  test("it is followed to its end if they have been open for a while", async () => {
    const { pauses, reading } = followed(20_000);
    assert.deepEqual(await reading, []);
    assert.deepEqual(new Set(pauses), new Set([250]));
  });

  test("it fails after growing pauses if they end at once", async () => {
    const { pauses, reading } = followed(0);
    assert.match(String(await failureOf(reading)), /ended early/);
    assert.deepEqual(pauses.slice(0, 4), [250, 500, 1_000, 2_000]);
  });
});
