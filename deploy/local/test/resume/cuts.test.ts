import assert from "node:assert/strict";
import { startEmbeddedStore } from "@muster/embedded-store";
import { eventsOf, temporaryDirectory, textOf } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import fc from "fast-check";
import { beforeAll, describe, test } from "vitest";
import { readExample } from "../support/example.ts";
import { startCuttingProxy } from "../support/resume/cutting-proxy.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

const words = Array.from({ length: 300 }, (_, index) => `word${index}`).join(" ");

interface Numbered {
  id: number;
  data: string;
}

/** The complete numbered frames of a response that may have been cut anywhere, and whether it has ended. */
function readFrames(text: string): { frames: Numbered[]; isDone: boolean } {
  // The text after the last blank line is incomplete.
  const complete = text.split("\n\n").slice(0, -1);
  const frames = complete
    .filter((frame) => frame !== "data: [DONE]" && frame !== ": heartbeat")
    .map((frame) => {
      const [, id, data = ""] = /^id: (\d+)\ndata: (.*)$/.exec(frame) ?? [];
      assert.ok(id, frame);
      return { id: Number(id), data };
    });
  return { frames, isDone: complete.at(-1) === "data: [DONE]" };
}

/** The body of a response, as far as it arrives. Empty if it was cut before its headers. */
async function readPart(url: string, key: string): Promise<string> {
  let text = "";
  try {
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}`, connection: "close" } });
    assert.equal(response.status, 200);
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
  }
  return text;
}

describe("a stream over a network that cuts it again and again", () => {
  const scope = suiteScope();
  const servers: TestServer[] = [];
  const proxies: string[] = [];
  let lengths: () => number = () => 1;
  beforeAll(async () => {
    const store = await startEmbeddedStore({ directory: await temporaryDirectory(scope), port: 0 });
    scope.onTestFinished(() => store.stop());
    const key = `svc_sk_${"k".repeat(32)}`;
    const env = { MONGODB_URI: store.uri, MUSTER_ADMIN_KEY: key, MUSTER_TRANSPORT: "grpc" };
    for (const delayMs of ["2", "0"]) {
      const server = await startTestServer(scope, { ...env, DEMO_WORD_DELAY_MS: delayMs });
      servers.push(server);
      proxies.push(await startCuttingProxy(scope, Number(new URL(server.url).port), () => lengths()));
    }
    await servers[0]?.client.json(201, "POST", "/api/agents", await readExample("support-chat"));
  });

  /** Starts a turn, leaves it after its first event, and returns the path of its events. */
  async function leaveTurn({ client }: TestServer): Promise<{ path: string; sessionPath: string }> {
    const agent = { agentSlug: "support-chat" };
    const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", agent);
    const sessionPath = `/api/agent-sessions/${sessionId}`;
    const body = {
      ...{ triggerName: "user-message", onDisconnect: "continue" },
      input: { USER_MESSAGE: words },
    };
    const leaving = new AbortController();
    const response = await client.request("POST", `${sessionPath}/trigger`, body, leaving.signal);
    const first = await response.body?.getReader().read();
    leaving.abort();
    const [, executionId] = /"executionId":"(\w+)"/.exec(Buffer.from(first?.value ?? "").toString()) ?? [];
    assert.ok(executionId);
    return { path: `${sessionPath}/executions/${executionId}/events`, sessionPath };
  }

  test("the pieces put together are the uncut stream, whichever server serves each of them", async () => {
    const [holder, other] = servers;
    assert.ok(holder && other);
    const cuts = fc.array(fc.integer({ min: 800, max: 12_000 }), { minLength: 5, maxLength: 5 });
    const property = fc.asyncProperty(cuts, fc.array(fc.nat(1), { minLength: 3 }), async (sizes, order) => {
      const { path, sessionPath } = await leaveTurn(holder);
      let piece = 0;
      lengths = () => sizes[piece % sizes.length] ?? 1;
      const received: Numbered[] = [];
      for (let isDone = false; !isDone; piece += 1) {
        const proxy = proxies[order[piece % order.length] ?? 0];
        const after = received.at(-1)?.id ?? 0;
        const read = readFrames(await readPart(`${proxy}${path}?after=${after}`, holder.key));
        received.push(...read.frames);
        isDone = read.isDone;
      }
      assert.deepEqual(
        received.map(({ id }) => id),
        received.map((_, index) => index + 1),
      );
      for (const { client } of servers) {
        const whole = await (await client.request("GET", path)).text();
        assert.deepEqual(received, readFrames(whole).frames);
        const shown = await client.json(200, "GET", `${sessionPath}?format=ui`);
        const text = textOf(eventsOf(whole.replace(/^id: .*\n/gm, "")));
        assert.ok(text.length > 500 && JSON.stringify(shown).includes(JSON.stringify(text)));
      }
    });
    await fc.assert(property, { numRuns: 6, seed: 20_261, endOnFailure: true });
  });
});
