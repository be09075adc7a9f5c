import assert from "node:assert/strict";
import { survivors } from "@muster/testing";
import fc from "fast-check";
import { test } from "vitest";
import { BodyGate, defaultResponseBounds, Pace } from "./body-gate.ts";
import { type BodySource, BodyStream } from "./body-stream.ts";

const quiet = { pause() {}, resume() {}, abort() {} };

function bodyOf(source: BodySource, bounds = defaultResponseBounds): BodyStream {
  return new BodyStream(source, new BodyGate(200, bounds), new Pace(bounds.maxBytesPerSecond));
}

async function readAll(body: BodyStream): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of body.stream) chunks.push(Buffer.from(chunk));
  return chunks;
}

test("pieces that arrive together are read as one chunk", async () => {
  const body = bodyOf(quiet);
  const reading = readAll(body);
  await new Promise(setImmediate);
  for (const piece of ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]) body.push(Buffer.from(piece));
  await new Promise(setImmediate);
  body.end();
  assert.deepEqual((await reading).map(String), ["data: 1\n\ndata: 2\n\ndata: 3\n\n"]);
});

test("the bytes of a body do not depend on the timing of pieces and reads", async () => {
  const steps = fc.array(
    fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 50 }), fc.constant("wait" as const)),
  );
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const body = bodyOf(quiet);
      const reading = readAll(body);
      for (const step of given) {
        if (step === "wait") await new Promise(setImmediate);
        else body.push(Buffer.from(step));
      }
      body.end();
      const sent = Buffer.concat(given.filter((step) => step !== "wait"));
      assert.deepEqual(Buffer.concat(await reading), sent);
    }),
  );
});

test("a failure of the connection is reported after the data received before it", async () => {
  const body = bodyOf(quiet);
  body.push(Buffer.from("kept"));
  body.fail(new Error("broken"));
  const reader = body.stream.getReader();
  assert.equal(Buffer.from((await reader.read()).value ?? []).toString(), "kept");
  await assert.rejects(reader.read(), /broken/);
});

test("a reader that stops pauses the connection, and resumes it by reading", async () => {
  const calls: string[] = [];
  const source = { pause: () => calls.push("pause"), resume: () => calls.push("resume"), abort: () => {} };
  const body = bodyOf(source);
  for (let i = 0; i < 3; i++) body.push(Buffer.alloc(40_000));
  assert.deepEqual(calls, ["pause"]);
  const reader = body.stream.getReader();
  let readBytes = 0;
  while (readBytes < 120_000) readBytes += (await reader.read()).value?.length ?? 0;
  assert.equal(readBytes, 120_000);
  assert.deepEqual(calls, ["pause", "resume"]);
});

test("a large chunk is read in parts, and other work runs in between", async () => {
  const body = bodyOf(quiet);
  body.push(Buffer.alloc(40_000));
  const reader = body.stream.getReader();
  assert.equal((await reader.read()).value?.length, 16_384);
  const order: string[] = [];
  setImmediate(() => order.push("other work"));
  assert.equal((await reader.read()).value?.length, 16_384);
  order.push("next part");
  assert.deepEqual(order, ["other work", "next part"]);
});

test("a body that arrives faster than allowed is read at the allowed rate", async () => {
  const body = bodyOf(quiet, { ...defaultResponseBounds, maxBytesPerSecond: 20_000 });
  body.push(Buffer.alloc(50_000));
  body.end();
  const start = performance.now();
  const chunks = await readAll(body);
  assert.equal(Buffer.concat(chunks).length, 50_000);
  assert.ok(performance.now() - start > 900);
});

test("a body that waits to be read keeps none of the pieces in which it arrived", async () => {
  const body = bodyOf(quiet);
  assert.ok((await survivors((piece) => body.push(piece))) < 10);
  body.end();
  assert.equal(Buffer.concat(await readAll(body)).length, 1_000);
});
