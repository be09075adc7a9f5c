import assert from "node:assert/strict";
import type { StoredMessage } from "@muster/engine";
import { onTestFinished, test } from "vitest";
import { createSessionReader } from "./session-reader.ts";
import { type ShowRequest, showSession } from "./show-session.ts";

function said(id: string, text: string, fields: Partial<StoredMessage> = {}): StoredMessage {
  return {
    id,
    role: "assistant",
    status: "done",
    createdAt: "2026-01-01T00:00:00.000Z",
    audience: "everyone",
    thread: "main",
    parts: [{ type: "text", text, status: "done" }],
    ...fields,
  };
}

const long = [said("msg_1", "x".repeat(200_000), { status: "streaming" })];

test("large messages are shown like small ones, in both views, also after their holder died", async () => {
  const reader = createSessionReader();
  onTestFinished(() => reader.close());
  const texts = [JSON.stringify([said("msg_0", "before")]), JSON.stringify(long)];
  for (const request of [
    { texts, view: "full" },
    { texts, view: "ui", isLeft: true },
    { texts, view: "ui", isContinued: true },
  ] satisfies ShowRequest[]) {
    assert.deepEqual(await reader.show(request), showSession(request));
  }
});

test("a message is shown once all of its stored pieces are there", () => {
  const hidden = said("msg_3", "hidden", { audience: "model" });
  const pieces = [
    said("msg_1", "one"),
    said("msg_2", "two"),
    hidden,
    said("msg_4", "three", { partOf: "msg_2" }),
  ];
  const texts = pieces.map((piece) => JSON.stringify([piece]));
  const early = showSession({ texts: texts.slice(0, 3), view: "full", isContinued: true });
  assert.deepEqual([early.count, JSON.parse(early.json).id], [1, "msg_1"]);
  const late = showSession({ texts: [early.rest, ...texts.slice(3)], view: "full" });
  assert.deepEqual(
    JSON.parse(late.json).parts.map(({ text }: { text: string }) => text),
    ["two", "three"],
  );
});
