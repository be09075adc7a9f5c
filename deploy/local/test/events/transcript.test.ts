import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { checkEvent } from "@muster/wire/events/check";
import { describe, test } from "vitest";
import { eventIn, recordTranscript } from "../support/events/transcript.ts";
import { readExample } from "../support/example.ts";
import { startTestServer } from "../support/server.ts";

const page = await readFile(new URL("../../../../docs/events.md", import.meta.url), "utf8");
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)\\n\`\`\`$`, "gm"))].map(([, text = ""]) => text);
const streams = blocks("text").map((text) => text.split("\n"));

/** A slow machine stores a turn again, so the number and place of `persisted` can differ. */
const withoutPersisted = (lines: readonly string[]) =>
  lines.filter((line) => eventIn(line)?.type !== "persisted");

describe("the transcript of docs/events.md", () => {
  test("the transcript equals the server's output for the documented requests, apart from the ids", async (t) => {
    const { client } = await startTestServer(t);
    await client.json(201, "POST", "/api/agents", await readExample("support-chat"));
    const agent = { agentSlug: "support-chat" };
    const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", agent);
    const recorded = await recordTranscript(client, sessionId);
    assert.deepEqual(
      blocks("json").map((text) => JSON.parse(text)),
      recorded.requests,
    );
    assert.deepEqual(streams.map(withoutPersisted), recorded.streams.map(withoutPersisted));
  });

  test("every event of the transcript matches its schema, and `persisted` names its own number", () => {
    assert.equal(streams.length, 2);
    for (const lines of streams) {
      for (const [index, line] of lines.entries()) {
        const event = eventIn(line);
        if (event === undefined) continue;
        checkEvent(event);
        if (event.type === "persisted") assert.equal(event.sequence, index + 1);
      }
    }
  });
});
