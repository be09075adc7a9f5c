import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BodyStream } from "./body-stream.ts";

const quiet = { pause() {}, resume() {}, abort() {} };

async function readAll(body: BodyStream): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of body.stream) chunks.push(Buffer.from(chunk));
  return chunks;
}

test("pieces that arrive together are read as one chunk", async () => {
  const body = new BodyStream(quiet);
  const reading = readAll(body);
  await new Promise(setImmediate);
  for (const piece of ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]) body.push(Buffer.from(piece));
  await new Promise(setImmediate);
  body.end();
  assert.deepEqual((await reading).map(String), ["data: 1\n\ndata: 2\n\ndata: 3\n\n"]);
});

test("whatever the timing of pieces and reads, the bytes are the same", async () => {
  const steps = fc.array(
    fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 50 }), fc.constant("wait" as const)),
  );
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const body = new BodyStream(quiet);
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

test("a failure comes after what was received before it", async () => {
  const body = new BodyStream(quiet);
  body.push(Buffer.from("kept"));
  body.fail(new Error("broken"));
  const reader = body.stream.getReader();
  assert.equal(Buffer.from((await reader.read()).value ?? []).toString(), "kept");
  await assert.rejects(reader.read(), /broken/);
});

test("a reader that takes nothing pauses the connection, and resumes it when it reads", async () => {
  const calls: string[] = [];
  const source = { pause: () => calls.push("pause"), resume: () => calls.push("resume"), abort: () => {} };
  const body = new BodyStream(source);
  for (let i = 0; i < 3; i++) body.push(Buffer.alloc(40_000));
  assert.deepEqual(calls, ["pause"]);
  const { value } = await body.stream.getReader().read();
  assert.equal(value?.length, 120_000);
  assert.deepEqual(calls, ["pause", "resume"]);
});
