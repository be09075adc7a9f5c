import assert from "node:assert/strict";
import { collect, failureOf } from "@muster/testing";
import { describe, test, vi } from "vitest";
import { MusterError } from "./errors.ts";
import { readEvents } from "./read-events.ts";

const url = "http://muster.test";

/** A stream of text that stays open. */
function openStream() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  // The reader may have left.
  writer.closed.catch(() => undefined);
  const write = (text: string) => writer.write(new TextEncoder().encode(text)).catch(() => undefined);
  return { response: new Response(readable), write };
}

describe("the events of a response", () => {
  test("a connection that is silent for a minute is lost, and one with heartbeats is not", async (t) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    t.onTestFinished(() => void vi.useRealTimers());
    const { response, write } = openStream();
    const events = readEvents<object>(response, url);
    const first = events.next();
    for (let seconds = 0; seconds < 300; seconds += 15) {
      await write(": heartbeat\n\n");
      vi.advanceTimersByTime(15_000);
    }
    await write('data: {"a":1}\n\n');
    assert.deepEqual((await first).value, { event: { a: 1 }, id: undefined });
    const second = failureOf(events.next());
    vi.advanceTimersByTime(60_000);
    const error = await second;
    assert.ok(error instanceof MusterError && error.code === "CONNECTION_LOST");
  });

  test("a consumer that is busy with an event for minutes loses no connection", async (t) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    t.onTestFinished(() => void vi.useRealTimers());
    const { response, write } = openStream();
    const events = readEvents<object>(response, url);
    const first = events.next();
    await write('data: {"a":1}\n\n');
    await first;
    vi.advanceTimersByTime(300_000);
    const second = events.next();
    await write('data: {"a":2}\n\n');
    assert.deepEqual((await second).value, { event: { a: 2 }, id: undefined });
  });

  test("a reader that leaves closes the connection", async () => {
    let reason: unknown = "open";
    const source = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: {"a":1}\n\n')),
      cancel: (because) => {
        reason = because;
      },
    });
    for await (const _ of readEvents<object>(new Response(source), url)) break;
    assert.equal(reason, undefined);
  });

  test("an event that is not a JSON object is reported as the response of another server", async () => {
    for (const data of ["1", "null", "{", "<html>"]) {
      const error = await failureOf(collect(readEvents<object>(new Response(`data: ${data}\n\n`), url)));
      assert.ok(error instanceof MusterError && error.code === "UNEXPECTED_RESPONSE", data);
    }
  });
});
