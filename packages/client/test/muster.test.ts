import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import {
  answerOf,
  type Muster as Client,
  Muster,
  MusterError,
  type StreamEvent,
  systemClock,
} from "@muster/client";
import { readExample } from "@muster/local/testing/example";
import { startTestServer } from "@muster/local/testing/server";
import { startScriptedProvider } from "@muster/models/testing";
import { collect, failureOf, temporaryDirectory, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";

/** Asks before each refund. */
const refundDesk = {
  settings: { slug: "refund-desk", name: "Refund desk", format: "interactive" as const },
  protocol: `
tools:
  refund:
    description: Refunds an order.
    parameters:
      amount: { type: number }
    approval: { ask: true }
triggers:
  refund:
    input:
      AMOUNT: { type: number }
agent:
  model: demo/echo
  tools: [refund]
handlers:
  refund:
    Refund:
      block: tool-call
      tool: refund
      input: { amount: AMOUNT }
`,
  prompts: [],
};

const double = {
  settings: { slug: "double", name: "Double", format: "worker" as const },
  protocol: `
input:
  NUMBER: { type: number }
tools:
  double:
    description: Doubles a number.
    parameters:
      number: { type: number }
variables:
  RESULT: { type: number }
steps:
  Double:
    block: tool-call
    tool: double
    input: { number: NUMBER }
    output: RESULT
output: RESULT
`,
  prompts: [],
};

const root = resolve(import.meta.dirname, "../../..");

describe("the client and a server", () => {
  const scope = suiteScope();
  let baseUrl = "";
  let adminKey = "";
  let muster: Client;
  let hire: () => Promise<{ agentId: string; key: string; client: Client }>;
  beforeAll(async () => {
    const endless = { parts: [{ text: ["Only half ", "of it"] }], ending: "hang" as const };
    const { baseUrl: provider } = await startScriptedProvider(scope, { format: "openai", steps: [endless] });
    const { url, key, client } = await startTestServer(scope, { LOCAL_BASE_URL: provider });
    hire = async () => {
      const body = { name: "Lou", prebuilt: "log-analyst" };
      const hired = await client.json(201, "POST", "/api/admin/workforce/agents", body);
      const own = String(hired.key);
      return { agentId: String(hired.agentId), key: own, client: new Muster({ baseUrl, apiKey: own }) };
    };
    baseUrl = url;
    adminKey = key;
    muster = new Muster({ baseUrl, apiKey: key });
    const supportChat = await readExample("support-chat");
    for (const definition of [supportChat, await readExample("document-reader"), refundDesk, double])
      await muster.agents.push(definition);
  });

  const say = (text: string) => ({ USER_MESSAGE: text });
  const tools = {
    "get-order": ({ orderNumber }: { orderNumber?: unknown }) => ({ orderNumber, status: "shipped" }),
  };

  test("a start creates a session, executes the tools of the turn, and returns its whole text", async () => {
    const turn = muster.sessions.start(
      {
        agentSlug: "support-chat",
        trigger: { triggerName: "user-message", input: say("Please use get-order.") },
      },
      { tools },
    );
    const result = await turn.result();
    const session = await muster.sessions.open(result.sessionId ?? "").get();
    assert.ok(session.status === "active");
    const reply = session.messages.at(-1);
    assert.equal(reply?.content, result.text);
    assert.match(result.text, /Calling get-order\..*returned/s);
    assert.deepEqual([reply.id, "stop"], [result.messageId, result.finishReason]);
  });

  test("a call without a handler ends the reading, and its results continue the turn", async () => {
    const session = await muster.sessions.create({ agentSlug: "support-chat" });
    const turn = session.trigger("user-message", say("Please use get-order."));
    const [events] = await Promise.all([collect<StreamEvent>(turn), turn.result()]);
    assert.deepEqual(events.filter(({ type }) => type === "tool-request").length, 1);
    const paused = await turn.result();
    const [call] = paused.toolCalls;
    assert.ok(call);
    const results = [{ toolCallId: call.toolCallId, error: "The shop is closed." }];
    const result = await session.continue(paused.executionId, results).result();
    assert.deepEqual([result.executionId, result.toolCalls], [paused.executionId, []]);
    assert.match(result.text, /The shop is closed/);
    const replayed = await collect(session.attach({ executionId: paused.executionId, after: 2 }));
    assert.equal(replayed.at(-1)?.type, "finish");
  });

  test("a refused request rejects with an error with its status, its code and the id of the request", async () => {
    const error = await failureOf(muster.sessions.open("ses_unknown").get());
    assert.ok(error instanceof MusterError);
    assert.deepEqual([error.status, error.code, error.name], [404, "NOT_FOUND", "MusterError"]);
    assert.match(error.requestId ?? "", /^req_/);
    const refused = await failureOf(
      muster.sessions.start({ agentSlug: "other", trigger: { triggerName: "x" } }).text(),
    );
    assert.ok(refused instanceof MusterError && refused.code === "NOT_FOUND");
  });

  test("a handler decides about calls that wait, and the turn is read to its end", async () => {
    const session = await muster.sessions.create({ agentSlug: "refund-desk" });
    const asked: string[] = [];
    const amounts: unknown[] = [];
    const turn = session.trigger(
      "refund",
      { AMOUNT: 500 },
      {
        tools: { refund: ({ amount }) => amounts.push(amount) },
        onApproval: ({ toolName }) => {
          asked.push(toolName);
          return { decision: "approve", args: { amount: 50 } };
        },
      },
    );
    const { finishReason, approvals } = await turn.result();
    assert.deepEqual([finishReason, approvals, asked, amounts], ["stop", [], ["refund"], [50]]);
  });

  test("without such a handler the reading ends, and another reader follows the turn through the decision", async () => {
    const session = await muster.sessions.create({ agentSlug: "refund-desk" });
    const turn = session.trigger("refund", { AMOUNT: 7 });
    const { approvals, executionId } = await turn.result();
    const listed = await muster.approvals.list({ sessionId: session.id, status: "pending" });
    assert.deepEqual(
      listed.approvals.map(({ approvalId }) => approvalId),
      approvals.map(({ approvalId }) => approvalId),
    );
    const attached = session.attach({ executionId, after: turn.after }).result();
    for (const _ of "twice")
      await muster.approvals.decide(approvals[0]?.approvalId ?? "", { decision: "deny" });
    assert.equal((await attached).finishReason, "stop");
  });

  test("a turn continues if its reader leaves, and ends if it is cancelled", async () => {
    const input = { MODEL: "local/scripted" };
    const session = await muster.sessions.create({ agentSlug: "support-chat", input });
    const turn = session.trigger("user-message", say("Hello"));
    for await (const { type } of turn) if (type === "text-start") break;
    const rest = session.attach(turn);
    let cancelling: Promise<void> | undefined;
    for await (const { type } of rest) if (type === "text-delta") cancelling ??= turn.cancel();
    await cancelling;
    assert.equal((await rest.result()).finishReason, "other");
    assert.equal(await session.cancel(), false);
  });

  test("sessions are found by their metadata, cleared, and restored from their messages", async () => {
    const metadata = { user: "u_7" };
    const session = await muster.sessions.create({ agentSlug: "support-chat", metadata });
    await session.trigger("user-message", say("Hello")).text();
    await session.update({ plan: "pro", user: null });
    assert.deepEqual((await muster.sessions.list({ metadata })).sessions, []);
    const { sessions } = await muster.sessions.list({
      agentSlug: "support-chat",
      metadata: { plan: "pro" },
      limit: 5,
    });
    assert.deepEqual(
      sessions.map(({ sessionId, title }) => [sessionId, title]),
      [[session.id, "Hello"]],
    );
    const before = await session.get({ format: "ui", limit: 1 });
    assert.ok(before.status === "active" && before.messages.length === 1);
    assert.equal((await session.clear()).cleared, true);
    assert.equal((await session.get()).status, "expired");
    assert.equal((await session.restore({ messages: before.messages })).restored, true);
    const after = await session.get({ format: "ui" });
    assert.ok(after.status === "active" && after.messages[0]?.id === before.messages[0]?.id);
  });

  test("an agent is validated, pushed as a version, and changed only if its version is the expected one", async () => {
    const settings = { ...refundDesk.settings, slug: "pushed" };
    const { valid, issues } = await muster.agents.validate({
      ...refundDesk,
      settings,
      protocol: "triggers: [",
    });
    assert.deepEqual([valid, issues[0]?.severity], [false, "error"]);
    const { agentId } = await muster.agents.push({ ...refundDesk, settings });
    await muster.agents.push({ ...refundDesk, settings: { ...settings, name: "Another name" } });
    const { versions } = await muster.agents.versions("pushed");
    assert.deepEqual(
      versions.map(({ version }) => version),
      [2, 1],
    );
    assert.equal((await muster.agents.get(agentId, { version: 1 })).settings.name, "Refund desk");
    const stale = await failureOf(
      muster.agents.update(agentId, { settings: { name: "Third" } }, { version: 1 }),
    );
    assert.ok(stale instanceof MusterError && stale.code === "VERSION_MISMATCH");
    assert.ok(
      (await muster.agents.list()).agents.some(
        ({ slug, name }) => slug === "pushed" && name === "Another name",
      ),
    );
    assert.ok(
      (await muster.models({ provider: "anthropic" })).models.every(({ id }) => id.startsWith("anthropic/")),
    );
  });

  test("uploaded files reach the agent, and their progress is that of all bytes", async () => {
    const session = await muster.sessions.create({ agentSlug: "document-reader" });
    const progress: number[] = [];
    const files = await session.upload(
      [
        { filename: "a.txt", mediaType: "text/plain", data: new TextEncoder().encode("twelve bytes") },
        new File(["{}"], "b.json", { type: "application/json" }),
      ],
      { onProgress: (sent, total) => progress.push(sent / total) },
    );
    assert.deepEqual(
      files.map(({ filename, size }) => [filename, size]),
      [
        ["a.txt", 12],
        ["b.json", 2],
      ],
    );
    assert.equal(progress.at(-1), 1);
    const text = await session.trigger("user-message", { QUESTION: "Read.", DOCUMENTS: files }).text();
    assert.match(text, /file a\.txt, text\/plain, 12 bytes/);
  });

  test("a token is asked for once, is replaced after it was rejected, and before it expires", async () => {
    const session = await muster.sessions.create({ agentSlug: "support-chat" });
    const { id: agentId } = await muster.agents.get("support-chat");
    let now = Date.now();
    const clock = { ...systemClock, date: () => now };
    const minted: string[] = [];
    const getToken = async () => {
      const token = await muster.tokens.mint({ agentId, sessionId: session.id, ttlSeconds: 900 });
      minted.push(token.jti);
      return token;
    };
    const inBrowser = new Muster({ baseUrl, getToken, clock }).sessions.open(session.id);
    await Promise.all([inBrowser.get(), inBrowser.get()]);
    assert.equal(minted.length, 1);
    await muster.tokens.revoke({ jti: minted[0] ?? "" });
    await Promise.all([inBrowser.trigger("user-message", say("Hello")).text(), inBrowser.get()]);
    assert.equal(minted.length, 2);
    now += 880_000;
    await inBrowser.get();
    await until(() => minted.length === 3);
    const error = await failureOf(new Muster({ baseUrl, token: "svc_et_x" }).sessions.list());
    assert.ok(error instanceof MusterError && error.code === "UNAUTHENTICATED");
  });

  test("a dispatched thread is waited for, followed, and continued, and its key opens nothing else", async () => {
    const { agentId, client: lou } = await hire();
    const { agentId: own } = await lou.credential();
    assert.equal(own, agentId);
    const notes = new TextEncoder().encode("a b a");
    const files = await lou.workforce.upload(agentId, [
      { filename: "notes.txt", mediaType: "text/plain", data: notes },
    ]);
    const dispatched = lou.workforce.dispatch(agentId, { message: "web-1 failed web-1", files });
    const [events, thread] = await Promise.all([collect(dispatched.events()), dispatched.wait()]);
    assert.deepEqual([thread.status, thread.recording], ["completed", null]);
    assert.match(answerOf(thread), /web-1/);
    assert.deepEqual(
      events.map(({ id }) => id),
      events.map((_, index) => index + 1),
    );
    assert.ok(events.some(({ event }) => event.type === "thread-status" && event.status === "completed"));
    await dispatched.followUp({ message: "And again" });
    const states: string[] = [];
    const { messages } = await dispatched.wait({ onChange: ({ status }) => states.push(status) });
    assert.deepEqual([states.at(-1), messages.length > thread.messages.length], ["completed", true]);
    // A key that manages agents reads the same thread by other routes.
    const { threadId } = await dispatched.started;
    assert.equal((await muster.workforce.open(agentId, threadId).cancel()).status, "completed");
    const error = await failureOf(lou.sessions.list());
    assert.ok(error instanceof MusterError && error.code === "FORBIDDEN");
    const refused = lou.workforce.dispatch(agentId, { message: "" });
    const reason = await failureOf(refused.wait());
    assert.ok(reason instanceof MusterError && reason.issues[0]?.path === "message");
  });

  test("a worker returns its output and its cost, after its tools", async () => {
    const { output, usage, toolCalls } = await muster.agents
      .execute(
        "double",
        { NUMBER: 21 },
        {
          tools: { double: ({ number }) => Number(number) * 2 },
        },
      )
      .result();
    assert.deepEqual([output, toolCalls], [42, []]);
    assert.equal(usage?.cost.currency, "USD");
  });

  test("the programs of docs/clients.md run", async (t) => {
    const { key } = await hire();
    const page = await readFile(join(root, "docs/clients.md"), "utf8");
    const folder = await temporaryDirectory(t);
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    const env = { MUSTER_URL: baseUrl, MUSTER_API_KEY: adminKey, MUSTER_AGENT_KEY: key };
    const outputs = [...page.matchAll(/^```js (\w+\.mjs)\n(.*?)^```/gms)].map(
      async ([, name = "", program = ""]) => {
        await writeFile(join(folder, name), program);
        const { stdout } = await promisify(execFile)(process.execPath, [join(folder, name)], { env });
        return stdout;
      },
    );
    const [chat = "", workforce = ""] = await Promise.all(outputs);
    assert.match(chat, /The tool get-order returned .*\nstop, in session ses_\w+\n$/);
    assert.match(workforce, /^completed .*2 a/s);
  });
});
