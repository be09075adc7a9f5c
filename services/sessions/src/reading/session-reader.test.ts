import assert from "node:assert/strict";
import { onTestFinished, test } from "vitest";
import type { Conversation } from "../engine/conversation/conversation.ts";
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
  const text = JSON.stringify(conversation);
  for (const request of [
    { conversation: text, view: "full", isLeft: false },
    { conversation: text, view: "ui", isLeft: true },
  ] satisfies ShowRequest[]) {
    assert.deepEqual(await reader.show(request), show(request));
  }
});
