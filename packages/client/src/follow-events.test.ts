import assert from "node:assert/strict";
import { collect } from "@muster/testing";
import { test } from "vitest";
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
