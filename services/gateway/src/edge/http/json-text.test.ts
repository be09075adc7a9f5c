import assert from "node:assert/strict";
import type { Readable } from "node:stream";
import Fastify, { type FastifyReply } from "fastify";
import { test } from "vitest";
import { sendJsonText, streamJsonText } from "./json-text.ts";

async function sent(...pieces: string[]) {
  const app = Fastify();
  app.get("/", (_request, reply) => sendJsonText(reply, ...pieces));
  try {
    return await app.inject("/");
  } finally {
    await app.close();
  }
}

test("a large text arrives unchanged although it is sent in slices, none of which cuts a character in two", async () => {
  // With an odd offset, every boundary of a slice falls inside a surrogate pair.
  const text = JSON.stringify(`x${"🦉".repeat(400_000)}`);
  const reply = await sent('{"a":', text, "}");
  assert.equal(reply.body, `{"a":${text}}`);
  assert.equal(reply.headers["content-type"], "application/json; charset=utf-8");
  assert.equal(reply.headers["content-length"], undefined);
});

test("a small text is sent as a whole, with its length", async () => {
  const reply = await sent('{"a":', '"é"', "}");
  assert.equal(reply.body, '{"a":"é"}');
  assert.equal(reply.headers["content-length"], "10");
});

test("no more is read from the source than the reader takes and one piece: a session of any length needs no memory", async () => {
  const length = 64 * 1024;
  let pulled = 0;
  const pieces = async function* () {
    for (; pulled < 200; pulled += 1) yield "x".repeat(length);
  };
  const sent = Promise.withResolvers<Readable>();
  const reply = { type: () => reply, send: (stream: Readable) => sent.resolve(stream) };
  await streamJsonText(reply as unknown as FastifyReply, pieces());
  let taken = 0;
  for await (const bytes of await sent.promise) {
    taken += bytes.length / length;
    assert.ok(pulled - taken <= 3, `${pulled} pieces were read and ${taken} taken`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(taken, 200);
});
