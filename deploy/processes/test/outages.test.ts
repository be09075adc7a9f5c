import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { readExample } from "@muster/local/testing/example";
import { until } from "@muster/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Operation, operations, refusedWithout, unreported } from "./support/effects.ts";
import { Installation, type Part } from "./support/installation.ts";
import { say, TestClient, triggerPath } from "./support/replies.ts";

let installation: Installation;
let client: TestClient;
let perform: Record<Operation, () => Promise<Response>>;

beforeAll(async () => {
  installation = await Installation.start();
  client = new TestClient(installation.url, installation.adminKey);
  perform = await prepare();
});

afterAll(() => installation?.destroy());

async function prepare(): Promise<typeof perform> {
  const agentId = await client.field(
    "agentId",
    201,
    "POST",
    "/api/agents",
    await readExample("support-chat"),
  );
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  // Its threads end at once, without a run: it gets many of them.
  const hire = { name: "Lou", prebuilt: "log-analyst", limits: { monthlyRuns: 0 } };
  const hired = await client.json(201, "POST", "/api/admin/workforce/agents", hire);
  const lou = new TestClient(installation.url, String(hired.key));
  const threads = `/api/v1/workforce/agents/${String(hired.agentId)}/threads`;
  const files = [{ filename: "a.txt", mediaType: "text/plain", size: 3 }];
  return {
    "list agents": () => client.request("GET", "/api/agents"),
    "change an agent": () =>
      client.request("PATCH", `/api/agents/${agentId}`, { settings: { description: "Helps" } }),
    "open a session": () => client.request("POST", "/api/agent-sessions", { agentId }),
    "read a session": () => client.request("GET", `/api/agent-sessions/${sessionId}`),
    "run a turn": () => client.request("POST", triggerPath(sessionId), say("Hello")),
    "ask for an upload": () => client.request("POST", "/api/files/upload-urls", { sessionId, files }),
    "mint a token": () => client.request("POST", "/api/tokens", { agentId }),
    "dispatch a task": () => lou.request("POST", threads, { message: "Hello" }),
  };
}

/** The operations that do not succeed, by name, with their results. */
async function refusals(): Promise<Map<Operation, string>> {
  const found = new Map<Operation, string>();
  // Credentials are cached for some seconds: without a break, the processor would be busy for as long.
  await delay(100);
  const attempt = async (name: Operation) => {
    const response = await perform[name]();
    const text = await response.text();
    if (!response.ok || text.includes('"type":"error"'))
      found.set(name, `${response.status} ${text} ${response.headers.get("retry-after")}`);
  };
  await Promise.all(operations.map(attempt));
  return found;
}

const names = (found: Map<Operation, string>) => operations.filter((name) => found.has(name));
const statusOf = async (path: string) => (await client.request("GET", path)).status;

/** `npm run test:long` ends each part, and the suite those whose loss is seen in three different ways. */
const parts: ReadonlyArray<keyof typeof refusedWithout & Part> = [
  ...(process.env.LONG_RUN === undefined ? [] : (["recorder", "workforce", "agents", "auth"] as const)),
  ...(["sessions", "nats-server"] as const),
  // The last one takes the answers themselves away.
  "embedded-store",
];
for (const part of parts)
  test(`without ${part}, exactly what the documentation says is refused with 503, and all of it works again when it is back`, async () => {
    const expected = refusedWithout[part];
    await installation.kill(part);
    const isReported = !unreported.has(part);
    await until("readiness reports it", async () => ((await statusOf("/readyz")) === 503) === isReported);
    // Credentials are cached for some seconds.
    await until(`only ${expected.join(", ") || "nothing"} is refused`, async () => {
      const found = names(await refusals());
      return found.length === expected.length && found.every((name) => expected.includes(name));
    });
    for (const answer of (await refusals()).values())
      assert.match(answer, /^503 .*"code":"UNAVAILABLE".* \d+$/);
    // Routing must not take away what still works.
    expect([await statusOf("/readyz?scope=self"), await statusOf("/healthz")]).toEqual([200, 200]);
    await installation.start(part);
    await until("everything works again", async () => (await refusals()).size === 0);
    await until("readiness recovers", async () => (await statusOf("/readyz")) === 200);
  });
