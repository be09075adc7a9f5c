import assert from "node:assert/strict";
import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { test, vi } from "vitest";
import { streamJsonText } from "./stream-json-text.ts";

const text = JSON.stringify("ä".repeat(128 * 1024));
const sliceLength = 16 * 1024;

/** A response to a text in two pieces, of which the first is large. */
async function* twoPieces(): AsyncGenerator<string, void, undefined> {
  yield text.slice(0, -1);
  yield text.slice(-1);
}

async function begin(pieces: AsyncGenerator<string, void, undefined>) {
  const sent = Promise.withResolvers<Readable>();
  const destroy = vi.fn();
  const reply = { raw: { destroy }, type: () => reply, send: (stream: Readable) => sent.resolve(stream) };
  await streamJsonText(reply as unknown as FastifyReply, pieces);
  return { stream: await sent.promise, destroy };
}

/** Resolves when the stream has something to read, or has ended. */
async function readable(stream: Readable): Promise<void> {
  while (stream.readableLength === 0 && !stream.readableEnded) {
    stream.read(0);
    await new Promise((resolve) => setImmediate(resolve));
    if (stream.readableLength === 0) stream.read();
  }
}

test("a reader that takes 16 KiB every 40 seconds is not cut, and one that stops is", async (t) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  t.onTestFinished(() => void vi.useRealTimers());
  const { stream, destroy } = await begin(twoPieces());
  const taken: Buffer[] = [];
  for (let slice = 0; slice < 12; slice++) {
    await readable(stream);
    const bytes: Buffer | null = stream.read(Math.min(sliceLength, stream.readableLength));
    if (bytes !== null) taken.push(bytes);
    await readable(stream);
    vi.advanceTimersByTime(40_000);
    assert.equal(destroy.mock.calls.length, 0, `cut after ${slice + 1} slices`);
  }
  assert.ok(text.startsWith(Buffer.concat(taken).toString().slice(0, -1)));
  vi.advanceTimersByTime(60_000);
  assert.equal(destroy.mock.calls.length, 1);
  stream.destroy();
});

test("no more is read from the source than the reader takes and one piece: a session of any length needs no memory", async () => {
  let pulled = 0;
  const pieces = async function* () {
    for (; pulled < 1_000; pulled += 1) yield "x".repeat(sliceLength);
  };
  const { stream } = await begin(pieces());
  let takenSlices = 0;
  for await (const bytes of stream) {
    takenSlices += bytes.length / sliceLength;
    assert.ok(pulled - takenSlices <= 3, `${pulled} pieces were read and ${takenSlices} taken`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(takenSlices, 1_000);
});
