import assert from "node:assert/strict";
import Fastify from "fastify";
import { test } from "vitest";
import { sendJsonText } from "./send-json-text.ts";

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
