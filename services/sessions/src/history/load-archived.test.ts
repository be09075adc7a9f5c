import assert from "node:assert/strict";
import { test } from "vitest";
import { ViewSearch } from "../engine/context/view-search.ts";
import type { StoredMessage } from "../engine/conversation/conversation.ts";
import type { Archived } from "./history-cache.ts";
import { loadArchived } from "./load-archived.ts";
import { emptyOutline, extendOutline } from "./outline.ts";

function message(id: string, role: StoredMessage["role"], more: Partial<StoredMessage> = {}): StoredMessage {
  return {
    ...{
      id,
      role,
      status: "done",
      createdAt: "2026-01-01T00:00:00.000Z",
      thread: "main",
      audience: "everyone",
    },
    parts: [{ type: "text", text: id, status: "done" }],
    ...more,
  };
}

const messages = [
  message("one", "user"),
  message("two", "user"),
  message("three", "user"),
  message("answer", "assistant"),
  message("rest", "assistant", { partOf: "answer" }),
  message("summary", "system", { audience: "model", summary: { through: 2, text: "" }, parts: [] }),
];
const all = extendOutline(emptyOutline, messages);

test("a message whose pieces are partly cached and partly read counts once", async () => {
  for (let cachedFrom = 3; cachedFrom < messages.length; cachedFrom++) {
    const kept = messages.slice(cachedFrom);
    const { messageCount } = extendOutline(emptyOutline, kept);
    const before = { ...emptyOutline, title: all.title, messageCount: all.messageCount - messageCount };
    const cached: Archived = { first: cachedFrom, messages: kept, before, outline: all };
    const loaded = await loadArchived(
      {
        ...{ end: messages.length, tail: [], outline: all, cached },
        read: async function* ({ from, to }) {
          yield { first: from, text: JSON.stringify(messages.slice(from, to)) };
        },
      },
      new ViewSearch(["main"], undefined, messages.length),
    );
    assert.equal(loaded.first, 2);
    assert.equal(loaded.before.messageCount, 2, `cached from ${cachedFrom} on`);
    assert.deepEqual([loaded.outline.messageCount, loaded.outline.title], [4, "one"]);
  }
});
