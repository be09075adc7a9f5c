import assert from "node:assert/strict";
import type { StoredMessage } from "@muster/engine";
import type { JsonValue } from "@muster/language";
import { test } from "vitest";
import { emptyOutline, extendOutline } from "./head.ts";
import { type Archived, createHistoryCache } from "./history-cache.ts";

/** A conversation of one range; the bytes are those of the JSON. */
function conversationOf(results: readonly JsonValue[]) {
  const messages = results.map(
    (result, index): StoredMessage => ({
      id: `msg_${index}`,
      role: "assistant",
      status: "done",
      createdAt: "2026-01-01T00:00:00.000Z",
      thread: "main",
      audience: "everyone",
      parts: [
        {
          type: "tool-call",
          toolCallId: `c${index}`,
          toolName: "t",
          display: "stream",
          source: "llm",
          args: {},
          result,
          status: "done",
        },
      ],
    }),
  );
  const bytes = Buffer.byteLength(JSON.stringify(messages));
  return { messages, bytes, head: [{ gen: "gen_1", from: 0, to: messages.length, bytes }] };
}

/** All messages of a head. */
function whole(messages: readonly StoredMessage[]): Archived {
  const outline = extendOutline(emptyOutline, messages);
  return { first: 0, messages, before: emptyOutline, outline };
}

const mebibyte = 1024 * 1024;

for (const [what, result] of [
  ["empty objects", Array.from({ length: 10_000 }, () => ({}))],
  ["empty lists", Array.from({ length: 10_000 }, () => [])],
  ["texts with an emoji", Array.from({ length: 30 }, () => `😀${"a".repeat(1_000)}`)],
  ["objects with many keys", Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`k${n}`, n]))],
] as [string, JsonValue][]) {
  test(`a conversation counts with the memory that it takes, not with its JSON: ${what}`, () => {
    const { messages, bytes, head } = conversationOf(Array.from({ length: 20 }, () => result));
    const cache = createHistoryCache(Math.ceil(1.5 * bytes));
    cache.keep("ses_1", head, whole(messages));
    assert.equal(cache.read("ses_1", head), undefined);
  });
}

test("a conversation of plain texts takes at most 2.5 times the length of its JSON", () => {
  const { messages, bytes, head } = conversationOf(Array.from({ length: 200 }, () => "a".repeat(250)));
  const cache = createHistoryCache(Math.ceil(2.5 * bytes));
  cache.keep("ses_1", head, whole(messages));
  assert.equal(cache.read("ses_1", head)?.messages.length, 200);
});

test("a conversation counts once, however often it grows or is rolled back", () => {
  const { messages, head } = conversationOf(Array.from({ length: 64 }, () => "a".repeat(4_000)));
  const cache = createHistoryCache(mebibyte);
  for (let round = 0; round < 50; round++) {
    for (let to = 8; to <= 64; to += 8) {
      const grown = [{ gen: "gen_1", from: 0, to, bytes: 0 }];
      cache.keep("ses_1", grown, whole(messages.slice(0, to)));
    }
    cache.keep("ses_1", [{ gen: "gen_1", from: 0, to: 4, bytes: 0 }], whole(messages.slice(0, 4)));
  }
  cache.keep("ses_1", head, whole(messages));
  assert.equal(cache.read("ses_1", head)?.messages.length, 64);
});

test("the outline of the archived messages is kept with them, however they grow or are rolled back", () => {
  const { messages } = conversationOf(Array.from({ length: 64 }, () => "a"));
  // Users see several stored messages as one, also across the end of the archived messages.
  const shown = messages.map((message, index) =>
    index % 3 === 2 ? { ...message, partOf: "msg_1" } : message,
  );
  const cache = createHistoryCache(mebibyte);
  for (const [gen, to] of [
    ["gen_1", 7],
    ["gen_1", 8],
    ["gen_1", 30],
    ["gen_2", 12],
    ["gen_2", 64],
  ] as const) {
    const head = [{ gen, from: 0, to, bytes: 0 }];
    cache.keep("ses_1", head, whole(shown.slice(0, to)));
    assert.deepEqual(cache.read("ses_1", head)?.outline, extendOutline(emptyOutline, shown, 0, to));
  }
  const cut = cache.read("ses_1", [{ gen: "gen_2", from: 0, to: 5, bytes: 0 }]);
  assert.equal(cut?.messages.length, 5);
  assert.deepEqual(cut?.outline, extendOutline(emptyOutline, shown, 0, 5));
});
