import assert from "node:assert/strict";
import type { StoredMessage } from "@muster/engine";
import { test } from "vitest";
import { chunksOf, countedBytesIn } from "./chunks-of.ts";
import { bytesOf, cutHead, extendHead, type Head, newHead } from "./head.ts";

function messageOf(length: number, index: number): StoredMessage {
  return {
    id: `msg_${index}`,
    role: "user",
    status: "done",
    createdAt: "2026-01-01T00:00:00.000Z",
    thread: "main",
    audience: "everyone",
    parts: [{ type: "text", text: "ä".repeat(length), status: "done" }],
  };
}

/** The head of a conversation all of whose messages are archived. */
function headOf(messages: readonly StoredMessage[]): Head {
  let head = newHead(() => "a");
  for (const chunk of chunksOf("a", 0, messages)) {
    head = extendHead(head, chunk.first + chunk.count, countedBytesIn(chunk));
  }
  return head;
}

test("a rollback to any message leaves exactly the bytes of the messages that it keeps", async () => {
  const messages = [5, 90_000, 3, 40_000, 1, 1, 70_000, 2].map(messageOf);
  for (let at = 0; at <= messages.length; at++) {
    const cut = await cutHead(headOf(messages), at, "b", { messages, first: 0 });
    assert.equal(bytesOf(cut), bytesOf(headOf(messages.slice(0, at))), `at ${at}`);
  }
});

test("rollbacks of several generations add up to the bytes of the remaining messages", async () => {
  const first = [50_000, 2, 2, 2, 2].map(messageOf);
  let head = await cutHead(headOf(first), 1, "b", { messages: first, first: 0 });
  const second = [...first.slice(0, 1), ...[60_000, 4, 4].map(messageOf)];
  for (const chunk of chunksOf("b", 1, second.slice(1))) {
    head = extendHead(head, chunk.first + chunk.count, countedBytesIn(chunk));
  }
  assert.equal(bytesOf(head), bytesOf(headOf(second)));
  assert.equal(
    bytesOf(await cutHead(head, 2, "c", { messages: second, first: 0 })),
    bytesOf(headOf(second.slice(0, 2))),
  );
  assert.equal(
    bytesOf(await cutHead(head, 1, "c", { messages: second, first: 0 })),
    bytesOf(headOf(second.slice(0, 1))),
  );
  assert.equal(bytesOf(await cutHead(head, 0, "c", { messages: second, first: 0 })), 0);
});

test("the bytes of many removed messages are counted with pauses", async () => {
  const messages = Array.from({ length: 500 }, (_, index) => messageOf(5_000, index));
  let pauses = 0;
  const pause = async () => void pauses++;
  await cutHead(headOf(messages), 1, "b", { messages, first: 0 }, pause);
  assert.ok(pauses >= 30, `${pauses} pauses`);
});
