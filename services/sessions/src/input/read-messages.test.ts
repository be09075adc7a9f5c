import assert from "node:assert/strict";
import { Issues } from "@muster/rpc";
import { test } from "vitest";
import { readMessages } from "./read-messages.ts";

const message = (index: number) => ({
  id: `msg_${index}`,
  role: "user",
  createdAt: "2026-01-01T00:00:00Z",
  parts: [{ type: "text", text: "Hello" }],
});

async function read(count: number) {
  let pauses = 0;
  const issues = new Issues();
  const text = JSON.stringify(Array.from({ length: count }, (_, index) => message(index)));
  const messages = await readMessages(issues, text, {}, async () => {
    pauses += 1;
  });
  issues.refuse();
  return { messages, pauses };
}

test("other work runs while ten thousand messages are read", async () => {
  const { messages, pauses } = await read(10_000);
  assert.equal(messages.length, 10_000);
  assert.equal(pauses, 20);
});

test("a few messages are read at once", async () => {
  const { messages, pauses } = await read(10);
  assert.equal(messages.length, 10);
  assert.equal(pauses, 0);
});
