import assert from "node:assert/strict";
import { type StoredMessage, ViewSearch } from "@muster/engine";
import { test } from "vitest";
import { emptyOutline, extendOutline } from "./head.ts";
import { type Archived, loadArchived } from "./history-cache.ts";

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

const summary = { summary: { through: 4, text: "" }, parts: [] };
const messages = [
  message("one", "user"),
  message("two", "user"),
  message("three", "user"),
  message("answer", "assistant"),
  message("rest", "assistant", { partOf: "answer" }),
  message("summary", "system", { audience: "model", summary: { through: 2, text: "" }, parts: [] }),
];
const all = extendOutline(emptyOutline, messages);

test("a message counts once, wherever its pieces are: in the document, in the cache or in the archive", async () => {
  for (let end = 3; end <= messages.length; end++) {
    const [archive, tail] = [messages.slice(0, end), messages.slice(end)];
    for (let cachedFrom = 3; cachedFrom <= end; cachedFrom++) {
      const kept = archive.slice(cachedFrom);
      // A message that lies on both sides counted for the latter when the cached messages were loaded.
      const { messageCount } = extendOutline(emptyOutline, [...kept, ...tail]);
      const before = { ...emptyOutline, title: all.title, messageCount: all.messageCount - messageCount };
      const outline = extendOutline(before, kept);
      const cached: Archived = { first: cachedFrom, messages: kept, before, outline };
      const loaded = await loadArchived(
        {
          ...{ end, tail, outline: all, cached },
          read: async function* ({ from, to }) {
            yield { first: from, text: JSON.stringify(messages.slice(from, to)) };
          },
        },
        new ViewSearch(["main"], undefined, end),
      );
      const about = `${end} archived, cached from ${cachedFrom} on`;
      assert.equal(loaded.first, 2, about);
      assert.equal(loaded.before.messageCount, 2, about);
      assert.equal(extendOutline(loaded.outline, tail).messageCount, 4, about);
      assert.equal(loaded.outline.title, "one");
    }
  }
});

test("a message whose following part a rollback has removed still counts for a process that cached what follows", async () => {
  const whole = messages.slice(0, 4).concat(message("summary", "system", { ...summary, audience: "model" }));
  const sources = { end: 4, cached: undefined, read: async function* () {} };
  const divided = [message("rest", "assistant", { partOf: "answer" }), ...whole.slice(4)];
  const search = () => new ViewSearch(["main"], undefined, 4);
  const outline = extendOutline(emptyOutline, [...whole.slice(0, 4), ...divided]);
  const cached = await loadArchived({ ...sources, tail: divided, outline }, search());
  assert.equal(cached.before.messageCount, 3);
  const tail = [...whole.slice(4), message("next", "user")];
  const rolledBack = extendOutline(emptyOutline, [...whole.slice(0, 4), ...tail]);
  const loaded = await loadArchived({ ...sources, tail, outline: rolledBack, cached }, search());
  assert.equal(extendOutline(loaded.outline, tail).messageCount, 5);
});
