import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { StoredMessage } from "../conversation/conversation.ts";
import { prefaceOf } from "./prompt.ts";
import { serializedMarkdown } from "./serialize.ts";
import { boundOutput } from "./tool-output.ts";

function said(id: string): StoredMessage {
  const about = { status: "done", createdAt: "", thread: "main", audience: "everyone" } as const;
  return { id, role: "user", ...about, parts: [{ type: "text", text: "abcd", status: "done" }] };
}

test("a note about something that a model does not read says one message and two messages", () => {
  assert.match(boundOutput("a".repeat(9), 2), /\[… 1 character omitted …\]/);
  assert.match(boundOutput("a".repeat(10), 2), /\[… 2 characters omitted …\]/);
  assert.match(prefaceOf([], { omitted: 1 }) ?? "", /\[… 1 earlier message is left out,/);
  assert.match(prefaceOf([], { omitted: 2 }) ?? "", /\[… 2 earlier messages are left out,/);
  const messages = ["one", "two", "three"].map(said);
  assert.match(serializedMarkdown({ messages }, "main", {}, 8), /\[… 1 earlier message omitted …\]/);
  assert.match(serializedMarkdown({ messages }, "main", {}, 4), /\[… 2 earlier messages omitted …\]/);
});

test("a text that was bounded before stays unchanged, whatever its length and its characters", () => {
  const texts = fc.array(fc.constantFrom("a", "é", "\n", "😀", "\ud83d", "[… 1 character omitted …]"), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 20 }), (pieces, maxTokens) => {
      const bounded = boundOutput(pieces.join(""), maxTokens);
      assert.equal(boundOutput(bounded, maxTokens), bounded);
    }),
  );
});
