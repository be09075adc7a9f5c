import assert from "node:assert/strict";
import { onTestFinished, test } from "vitest";
import type { Conversation } from "../engine/conversation/conversation.ts";
import { inDocument } from "../store/session-document.ts";
import { createSessionReader } from "./session-reader.ts";
import { type ShowRequest, show } from "./show-session.ts";

const conversation: Conversation = {
  messages: [
    {
      id: "msg_1",
      role: "assistant",
      status: "streaming",
      createdAt: "2026-01-01T00:00:00.000Z",
      audience: "everyone",
      thread: "main",
      parts: [{ type: "text", text: "x".repeat(200_000), status: "streaming" }],
    },
  ],
  variables: { A: 1 },
  resources: { B: [2] },
};

test("a large session is shown like a small one, in both views, also after its holder died", async () => {
  const reader = createSessionReader();
  onTestFinished(() => reader.close());
  const stored = inDocument(conversation);
  const old = { tail: null, memory: null, conversation: JSON.stringify(conversation) };
  const archived = [JSON.stringify([{ ...conversation.messages[0], id: "msg_0", status: "done" }])];
  for (const request of [
    { archived: [], stored, view: "full", isLeft: false },
    { archived, stored, view: "ui", isLeft: true },
    { archived: [], stored: old, view: "ui", isLeft: true },
  ] satisfies ShowRequest[]) {
    assert.deepEqual(await reader.show(request), show(request));
  }
});
