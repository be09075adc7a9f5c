import assert from "node:assert/strict";
import { startEmbeddedStore } from "@muster/embedded-store";
import { eventsOf, freePort, startProxy, temporaryDirectory } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { readExample } from "./support/example.ts";
import { startTestServer, type TestServer } from "./support/server.ts";

/** `npm run bench:floods` has more of them. */
const triggers = 150;
const stuckReaders = 10;
const triggerPath = (sessionId: string) => `/api/agent-sessions/${sessionId}/trigger`;
const say = (text: string) => ({ triggerName: "user-message", input: { USER_MESSAGE: text } });

async function openSessions({ client }: TestServer, count: number): Promise<string[]> {
  const agentId = await client.field(
    "agentId",
    201,
    "POST",
    "/api/agents",
    await readExample("support-chat"),
  );
  const sessionIds: string[] = [];
  while (sessionIds.length < count) {
    const open = () => client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
    sessionIds.push(...(await Promise.all(Array.from({ length: 20 }, open))));
  }
  return sessionIds;
}

/** Starts turns that produce more than all buffers on the way can take, and reads only their first bytes. */
async function stickReaders(t: TestContext, { client }: TestServer, sessionIds: string[]): Promise<void> {
  const leaving = new AbortController();
  t.onTestFinished(() => leaving.abort());
  for (const sessionId of sessionIds) {
    const body = say("word ".repeat(20_000));
    const { status, body: stream } = await client.request(
      "POST",
      triggerPath(sessionId),
      body,
      leaving.signal,
    );
    assert.equal(status, 200);
    await stream?.getReader().read();
  }
}

/** Sends all triggers at once; fails unless each response is a whole stream. */
async function triggerAll(
  { client }: TestServer,
  sessionIds: string[],
  onEnded: () => void = () => {},
): Promise<void> {
  const finished = await Promise.all(
    sessionIds.map(async (sessionId) => {
      const response = await client.request("POST", triggerPath(sessionId), say("Hello"));
      const text = await response.text();
      onEnded();
      return response.status === 200 ? eventsOf(text).at(-1)?.finishReason : `${response.status} ${text}`;
    }),
  );
  assert.deepEqual([...new Set(finished)], ["stop"]);
}

describe("a burst of triggers", () => {
  test(`${triggers} triggers at once all end with [DONE], also while stuck readers keep streams open`, async (t) => {
    const server = await startTestServer(t);
    const sessionIds = await openSessions(server, triggers + stuckReaders);
    await stickReaders(t, server, sessionIds.splice(0, stuckReaders));
    await triggerAll(server, sessionIds);
  });

  test("100 triggers that queue for seconds for a slow but healthy store all end with [DONE]", async (t) => {
    const port = await freePort();
    const store = await startEmbeddedStore({ directory: await temporaryDirectory(t), port });
    t.onTestFinished(() => store.stop());
    const proxy = await startProxy(t, port);
    const uri = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true&maxPoolSize=2`;
    const server = await startTestServer(t, { MONGODB_URI: uri });
    const sessionIds = await openSessions(server, 100);
    // The last of 100 triggers gets one of the 2 connections after 6 s at the earliest. The first turn needs a second
    // one, for which it queues behind them, so the first response ends after that.
    proxy.delay(120);
    await triggerAll(server, sessionIds, () => proxy.delay(0));
  });
});
