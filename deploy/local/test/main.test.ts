import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { eventsOf, programEnvironment, TestClient, temporaryDirectory } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { readExample } from "./support/example.ts";
import { TestProcess } from "./support/process.ts";

const exampleAgent = await readExample("support-chat");
const root = resolve(import.meta.dirname, "../../..");
const adminKey = "svc_sk_0123456789abcdef0123456789abcdef";
const runningAt = /running at (http:\S+)/;

async function openSession(client: TestClient): Promise<string> {
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", exampleAgent);
  return client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
}

const longMessage = { triggerName: "user-message", input: { USER_MESSAGE: "word ".repeat(2_000) } };

test("the printed commands work when pasted into a shell, with the admin key that the first start generates, and with one of one's own", async (t) => {
  const env = {
    ...{ PORT: "0", DATA_DIR: await temporaryDirectory(t), DEMO_WORD_DELAY_MS: "0" },
    // The variables of `npm start`.
    ...{ npm_lifecycle_event: "start", npm_package_name: "muster" },
  };
  assert.match(await pastePrinted(t, env, 4), /Hello! Who are you\?/);
  // The rest does not depend on the key.
  await pastePrinted(t, { ...env, MUSTER_ADMIN_KEY: adminKey }, 2);
});

/** The output of the first commands. */
async function pastePrinted(t: TestContext, env: Record<string, string>, count: number): Promise<string> {
  const muster = new TestProcess(t, env);
  await muster.printed(/Stop with Ctrl-C/);
  const lines = muster.output.split("\n").filter((line) => /^ {2}(export|npx) /.test(line));
  assert.equal(lines.length, 4);
  const { stdout } = await promisify(execFile)("sh", ["-ec", lines.slice(0, count).join("\n")], {
    cwd: root,
    encoding: "utf8",
    env: { ...programEnvironment(), ...env },
  });
  muster.child.kill("SIGINT");
  assert.equal(await muster.exitCode(), 0);
  return stdout;
}

test("SIGTERM ends an open stream with [DONE], keeps its text and exits with 0; after kill -9 in the middle of a response, all acknowledged data is present and the session continues", async (t) => {
  const env = {
    ...{ PORT: "0", DATA_DIR: await temporaryDirectory(t), MUSTER_ADMIN_KEY: adminKey },
    ...{ DEMO_WORD_DELAY_MS: "20", DRAIN_SECONDS: "0" },
  };
  const start = async () => {
    const muster = new TestProcess(t, env);
    return { muster, client: new TestClient((await muster.printed(runningAt))[1] ?? "", adminKey) };
  };
  const first = await start();
  const sessionId = await openSession(first.client);
  const path = `/api/agent-sessions/${sessionId}`;
  const response = await first.client.request("POST", `${path}/trigger`, longMessage);
  first.muster.child.kill("SIGTERM");
  const events = eventsOf(await response.text());
  assert.deepEqual([events.at(-1)?.type, events.at(-1)?.retryable], ["error", true]);
  assert.equal(await first.muster.exitCode(), 0);

  const second = await start();
  const { messages } = await second.client.json(200, "GET", path);
  assert.match(JSON.stringify(messages), /"role":"assistant".*"status":"done"/);
  const broken = await second.client.request("POST", `${path}/trigger`, longMessage);
  second.muster.child.kill("SIGKILL");
  await assert.rejects(broken.text());
  await second.muster.exitCode();

  const third = await start();
  assert.deepEqual((await third.client.json(200, "GET", path)).messages, messages);
  const say = { triggerName: "user-message", input: { USER_MESSAGE: "second" } };
  assert.equal((await third.client.trigger(sessionId, say)).at(-1)?.finishReason, "stop");
});

test("the admin key is shown even if the first start fails after generating it", async (t) => {
  const directory = await temporaryDirectory(t);
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  t.onTestFinished(() => {
    taken.close();
  });
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const failed = new TestProcess(t, { PORT: String(port), DATA_DIR: directory });
  const key = (await failed.printed(/(svc_sk_\w+)/))[1] ?? "";
  assert.equal(await failed.exitCode(), 1);
  const next = new TestProcess(t, { PORT: "0", DATA_DIR: directory });
  await new TestClient((await next.printed(runningAt))[1] ?? "", key).json(200, "GET", "/api/agents");
});
