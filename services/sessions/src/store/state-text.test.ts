import assert from "node:assert/strict";
import type { StoredMessage, StoredPart } from "@muster/engine";
import fc from "fast-check";
import { describe, test } from "vitest";
import { keepText, keepTextOf, keptText, messagesText, withKeptText } from "./state-text.ts";

/** The JSON of a value that is large, and with spacing that `JSON.stringify` would not make. */
function textOf(value: unknown): string {
  return JSON.stringify(value, null, " ").padEnd(200_000);
}

function message(parts: StoredPart[]): StoredMessage {
  return {
    ...{ id: "msg_1", role: "assistant", thread: "main", audience: "everyone", status: "done" },
    ...{ createdAt: "2026-01-01T00:00:00.000Z", parts },
  };
}

function call(result: unknown): StoredPart {
  return {
    ...{ type: "tool-call", toolCallId: "c1", toolName: "lookup", args: {}, source: "llm" },
    ...{ display: "stream", status: "done", result },
  } as StoredPart;
}

describe("texts of large values", () => {
  test("messages with kept texts are the same messages", () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.jsonValue(), fc.boolean())), (results) => {
        const messages = results.map(([value, isKept]) => {
          const result: unknown = structuredClone(value);
          if (isKept) keepText(result, textOf(result));
          return message([{ type: "text", text: "Hello", status: "done" } as StoredPart, call(result)]);
        });
        assert.deepEqual(JSON.parse(messagesText(messages)), JSON.parse(JSON.stringify(messages)));
      }),
    ));

  test("a text that is kept is stored as the caller sent it, without a pass over its value", () => {
    const value = { a: [1] };
    const text = textOf(value);
    keepText(value, text);
    assert.ok(messagesText([message([call(value)])]).includes(text));
    const event = { type: "tool-output-available", output: value, toolCallId: "c1" } as const;
    const encoded = withKeptText(event, "output");
    assert.ok(encoded.includes(text));
    assert.deepEqual(JSON.parse(encoded), event);
  });

  test("a copy of an input has its text only if it has exactly its members", () => {
    const sent = { a: [1], b: "x" };
    keepText(sent, textOf(sent));
    const same = { ...sent };
    keepTextOf(same, sent);
    assert.equal(keptText(same), textOf(sent));
    for (const other of [{ a: sent.a }, { ...sent, c: 1 }, { ...sent, a: [1] }, { a: sent.a, c: sent.b }]) {
      keepTextOf(other, sent);
      assert.equal(keptText(other), undefined);
    }
  });

  test("the text of a small value is not kept", () => {
    const value = {};
    keepText(value, "{}");
    assert.equal(keptText(value), undefined);
  });
});
