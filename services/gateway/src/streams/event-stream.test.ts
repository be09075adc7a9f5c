import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { setImmediate as immediate } from "node:timers/promises";
import { test, vi } from "vitest";
import { EventStream, type StreamLimits } from "./event-stream.ts";

const limits: StreamLimits = {
  heartbeatMs: 15_000,
  drainTimeoutMs: 60_000,
  firstEventTimeoutMs: 60_000,
  recheckMs: 60_000,
};

test("readers that leave in one moment share ticks of the main loop, and the reason is known at once", async () => {
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const responses = Array.from({ length: 20 }, () => new ServerResponse(new IncomingMessage(new Socket())));
  let closed = 0;
  const streams = responses.map(
    (raw) =>
      new EventStream(
        raw,
        limits,
        () => nowMs,
        () => closed++,
      ),
  );
  // The end of a turn takes time.
  for (const { signal } of streams) signal.addEventListener("abort", () => (nowMs += 4));
  await immediate();
  const beforeMs = nowMs;
  for (const raw of responses) raw.emit("close");
  assert.ok(nowMs - beforeMs <= 12, `${nowMs - beforeMs} ms in one tick`);
  assert.ok(streams.every(({ endReason }) => endReason === "reader-left"));
  while (closed < streams.length) await immediate();
  assert.ok(streams.every(({ signal }) => signal.aborted));
});
