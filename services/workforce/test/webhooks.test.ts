import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { NoticedDocumentSchema, NoticeSchema } from "@muster/proto/sessions";
import type { CreateWebhookRequest } from "@muster/proto/webhooks";
import { Reason } from "@muster/rpc";
import { Secret } from "@muster/service";
import { serve, until } from "@muster/testing";
import { Webhook } from "standardwebhooks";
import { describe, type TestContext, test } from "vitest";
import type { WorkforceConfig } from "../src/config.ts";
import { ask } from "../src/store/thread-moves.ts";
import { projectId } from "./support/documents.ts";
import { refusal, startWithAgent } from "./support/harness.ts";
import { claimNext } from "./support/run.ts";

const second = 1_000;
const day = 86_400 * second;
const config: Partial<WorkforceConfig> = {
  secretsKeys: [new Secret("ab".repeat(32))],
  webhookAllowedHosts: ["127.0.0.1"],
};

interface Received {
  headers: Record<string, string>;
  body: string;
}

/** A receiver that answers in turn as listed, and then with 204. */
async function startReceiver(t: TestContext, ...answers: Array<(response: ServerResponse) => void>) {
  const received: Received[] = [];
  const waiting = [...answers];
  const url = await serve(t, async (request: IncomingMessage, response) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    received.push({ headers: Object.fromEntries(headers), body });
    const answer = waiting.shift();
    if (answer) answer(response);
    else response.writeHead(204).end();
  });
  const types = () => received.map(({ body }) => JSON.parse(body).type);
  return { url, received, types };
}

const status =
  (code: number, headers: Record<string, string> = {}, text = "") =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end(text);

/** The body of a request that carries a signature with each of the secrets, computed by a public library. Fails otherwise. */
function verified({ headers, body }: Received, ...secrets: string[]) {
  const { "webhook-id": id = "", "webhook-timestamp": at = "", "webhook-signature": given = "" } = headers;
  const expected = secrets.map((key) => new Webhook(key).sign(id, new Date(Number(at) * second), body));
  assert.deepEqual(given.split(" ").sort(), expected.sort());
  return JSON.parse(body);
}

async function startWorld(t: TestContext, extra: Partial<WorkforceConfig> = {}) {
  const started = await startWithAgent(t, {}, { ...config, ...extra });
  const { world, webhooks, agentId, client } = started;
  // Principals are valid for a minute.
  const admin = () => world.as({ permissions: new Set(["admin"]) });
  const subscribe = async (url: string, fields: Partial<CreateWebhookRequest> = {}) => {
    const events = ["thread.running", "thread.completed", "thread.failed", "thread.blocked"];
    const { webhook, secret } = await webhooks.createWebhook({ url, events, ...fields }, admin());
    return { webhookId: webhook?.id ?? "", secret };
  };
  const run = async (name: string, end: "complete" | "fail" = "complete") => {
    const { threadId } = await client.startThread({ agentId, message: name }, world.asAgent(agentId));
    const run = await claimNext(world, agentId, `run_${name}`);
    await run.begin();
    await (end === "complete" ? run.complete() : run.fail({ type: "timeout", reason: "It took too long." }));
    await run.free();
    return threadId;
  };
  const list = async (webhookId: string) =>
    (await webhooks.listDeliveries({ webhookId }, admin())).deliveries.toReversed();
  const get = async (webhookId: string) => (await webhooks.getWebhook({ webhookId }, admin())).webhook;
  return { ...started, admin, subscribe, run, list, get };
}

describe("a webhook", () => {
  test("receives the events of its types in order, thin, numbered for each thread, and signed for a public library", async (t) => {
    const { subscribe, run, agentId, list } = await startWorld(t);
    const { url, received } = await startReceiver(t);
    const { webhookId, secret } = await subscribe(url);
    const threadId = await run("one");
    await until("two events arrive", () => received.length === 2);
    const failed = await run("two", "fail");
    await until("four events arrive", () => received.length === 4);
    assert.ok(received.every(({ body }) => body.length < 1_000));
    const common = { timestamp: "2026-11-22T12:00:00.000Z" };
    const data = { projectId, agentId, threadId };
    assert.deepEqual(
      received.map((one) => verified(one, secret)),
      [
        { type: "thread.running", ...common, sequence: 1, data: { ...data, status: "running" } },
        { type: "thread.completed", ...common, sequence: 2, data: { ...data, status: "completed" } },
        {
          type: "thread.running",
          ...common,
          sequence: 1,
          data: { ...data, threadId: failed, status: "running" },
        },
        {
          ...{ type: "thread.failed", ...common, sequence: 2 },
          data: { ...data, threadId: failed, status: "failed", failureType: "timeout" },
        },
      ],
    );
    assert.equal(new Set(received.map(({ headers }) => headers["webhook-id"])).size, 4);
    await until("all are delivered", async () =>
      (await list(webhookId)).every((d) => d.status === "delivered"),
    );
  });

  test("gets an event again under the same id until it accepts it, after the time that it names", async (t) => {
    const { world, subscribe, run, list } = await startWorld(t);
    const answers = [status(500, {}, "no <b>luck</b>"), status(429, { "retry-after": "3600" })];
    const { url, received } = await startReceiver(t, ...answers, (response) => response.destroy());
    const { webhookId } = await subscribe(url, { events: ["thread.completed"] });
    await run("one");
    const attempts = (count: number) =>
      until(`${count} attempts are stored`, async () => (await list(webhookId))[0]?.attemptCount === count);
    await attempts(1);
    world.clock.advance(10 * second);
    await attempts(2);
    const [waiting] = await list(webhookId);
    const waits = Number(waiting?.nextAttemptAt?.seconds) - world.clock.now() / second;
    assert.ok(waits >= 3_600 && waits <= 4_320, `${waits} s`);
    for (const count of [3, 4]) {
      world.clock.advance(5_000 * second);
      await attempts(count);
    }
    const [delivery] = await list(webhookId);
    assert.equal(delivery?.status, "delivered");
    assert.deepEqual(
      delivery?.attempts.map(({ status: code, problem, answer }) => [code, problem, answer]),
      [
        [500, "The receiver answered with HTTP 500.", "no <b>luck</b>"],
        [429, "The receiver answered with HTTP 429.", undefined],
        [undefined, delivery?.attempts[2]?.problem, undefined],
        [204, undefined, undefined],
      ],
    );
    assert.match(delivery?.attempts[2]?.problem ?? "", /\w+\.$/);
    assert.equal(new Set(received.map(({ headers }) => headers["webhook-id"])).size, 1);
    assert.equal(new Set(received.map(({ headers }) => headers["webhook-timestamp"])).size, 4);
    assert.equal(new Set(received.map(({ body }) => body)).size, 1);
  });

  test("that answers with 410 is disabled, and one that redirects, is cut, pours or encodes is judged by its status alone", async (t) => {
    const { subscribe, run, list, get } = await startWorld(t);
    const endless = "x".repeat(10 * 1024 * 1024);
    const receivers = {
      gone: await startReceiver(t, status(410)),
      redirect: await startReceiver(t, status(302, { location: "https://example.com" })),
      cut: await startReceiver(t, (response) => {
        response.writeHead(200, { "content-length": "100" }).write("half");
        setImmediate(() => response.destroy());
      }),
      encoded: await startReceiver(t, status(200, { "content-encoding": "unknown" }, "thanks")),
      pour: await startReceiver(t, status(200, { "content-length": String(endless.length) }, endless)),
    };
    const ids = new Map<string, string>();
    for (const [name, { url }] of Object.entries(receivers))
      ids.set(name, (await subscribe(url, { events: ["thread.completed"] })).webhookId);
    await run("one");
    const outcomes: Record<string, unknown> = {};
    for (const [name, id] of ids) {
      await until(`${name} was tried`, async () => (await list(id))[0]?.attemptCount === 1);
      const [delivery] = await list(id);
      const [attempt] = delivery?.attempts ?? [];
      outcomes[name] = [delivery?.status, attempt?.status, attempt?.answer?.length];
    }
    assert.deepEqual(outcomes, {
      gone: ["failed", 410, undefined],
      redirect: ["pending", 302, undefined],
      cut: ["delivered", 200, 4],
      encoded: ["delivered", 200, 6],
      pour: ["delivered", 200, 1_024],
    });
    const id = ids.get("gone") ?? "";
    await until("it is disabled", async () => (await get(id))?.enabled === false);
    assert.match((await get(id))?.pausedReason ?? "", /410/);
    await run("two");
    await until("others got the next event", () => receivers.pour.received.length === 2);
    assert.equal((await list(id)).length, 1);
  });

  test("that hangs delays no other, and whatever an instance has not delivered when it ends, another one delivers", async (t) => {
    const { world, subscribe, run, stop } = await startWorld(t);
    const hanging = await startReceiver(t, ...Array.from({ length: 16 }, () => () => undefined));
    const fast = await startReceiver(t);
    await subscribe(hanging.url);
    await subscribe(fast.url);
    await run("one");
    await until("the fast one has both", () => fast.received.length === 2);
    await until("the other one was asked", () => hanging.received.length > 0);
    await world.addInstance(config);
    await stop();
    const seen = () => new Set(hanging.received.map(({ headers }) => headers["webhook-id"]));
    const before = hanging.received.length;
    await until("the other instance asks again", () => hanging.received.length > before);
    await until("it has both", () => seen().size === 2);
    assert.deepEqual(seen(), new Set(fast.received.map(({ headers }) => headers["webhook-id"])));
  });

  test("that wants the next attempt at once gets it after the usual delay", async (t) => {
    const { world, subscribe, run, list } = await startWorld(t);
    const { url } = await startReceiver(t, status(503, { "retry-after": "0" }));
    const { webhookId } = await subscribe(url, { events: ["thread.completed"] });
    await run("one");
    await until("it was tried", async () => (await list(webhookId))[0]?.attemptCount === 1);
    const [delivery] = await list(webhookId);
    assert.equal(delivery?.status, "pending");
    const waits = Number(delivery?.nextAttemptAt?.seconds) - world.clock.now() / second;
    assert.ok(waits >= 4 && waits <= 6, `${waits} s`);
  });

  test("whose URL changes while the earlier one answers with 410 stays enabled", async (t) => {
    const { webhooks, subscribe, run, list, get, admin } = await startWorld(t);
    const asked = Promise.withResolvers<ServerResponse>();
    const earlier = await startReceiver(t, asked.resolve);
    const { url, types } = await startReceiver(t);
    const { webhookId } = await subscribe(earlier.url, { events: ["thread.completed"] });
    await run("one");
    const response = await asked.promise;
    await webhooks.updateWebhook({ webhookId, url }, admin());
    status(410)(response);
    await until("it was tried", async () => (await list(webhookId))[0]?.attemptCount === 1);
    await run("two");
    await until("the next event arrives", () => types().length === 1);
    assert.equal((await get(webhookId))?.enabled, true);
  });

  test("that does not answer in time gets the event again later", async (t) => {
    const { subscribe, run, list } = await startWorld(t, { timings: { webhookTimeoutMs: 100 } });
    const { url } = await startReceiver(t, () => undefined);
    const { webhookId } = await subscribe(url, { events: ["thread.completed"] });
    await run("one");
    await until("it was tried", async () => (await list(webhookId))[0]?.attemptCount === 1);
    const [delivery] = await list(webhookId);
    assert.deepEqual([delivery?.status, delivery?.attempts[0]?.status], ["pending", undefined]);
    assert.match(delivery?.attempts[0]?.problem ?? "", /^The server took too long\.$/);
  });

  test("is paused after 20 failures over 3 days, keeps its events, and sends them once it is enabled", async (t) => {
    const { world, webhooks, subscribe, run, list, get, admin } = await startWorld(t);
    let isBroken = true;
    const { url, received } = await startReceiver(
      t,
      ...Array.from({ length: 100 }, () => (response: ServerResponse) => {
        response.writeHead(isBroken ? 500 : 200).end();
      }),
    );
    const { webhookId } = await subscribe(url, { events: ["thread.completed"] });
    for (const name of ["one", "two"]) await run(name);
    const attempts = async () =>
      (await list(webhookId)).reduce((sum, { attemptCount }) => sum + attemptCount, 0);
    for (let tries = 0; (await get(webhookId))?.pausedReason === undefined; tries++) {
      assert.ok(tries < 100, "it is never paused");
      world.clock.advance(day / 2);
      const now = world.clock.now() / second;
      const isSettled = async () =>
        (await get(webhookId))?.pausedReason !== undefined ||
        (await list(webhookId)).every((d) => Number(d.nextAttemptAt?.seconds ?? now) >= now);
      await until("all that is due was sent", isSettled);
    }
    assert.ok((await attempts()) >= 20);
    assert.match((await get(webhookId))?.pausedReason ?? "", /more than 3 days.*HTTP 500/);
    isBroken = false;
    await run("three");
    await until("the event waits", async () => (await list(webhookId)).length === 3);
    const { webhook } = await webhooks.updateWebhook({ webhookId, enabled: true }, admin());
    assert.equal(webhook?.pausedReason, undefined);
    world.clock.advance(2 * day);
    await until("all are settled", async () => (await list(webhookId)).every((d) => d.status !== "pending"));
    assert.equal(JSON.parse(received.at(-1)?.body ?? "{}").type, "thread.completed");
  });

  test("signs with both secrets for a day after a rotation, and sends a delivery or a test again on request", async (t) => {
    const { world, webhooks, subscribe, run, list, admin } = await startWorld(t);
    const { url, received, types } = await startReceiver(t);
    const { webhookId, secret } = await subscribe(url, { events: ["thread.completed"] });
    await run("one");
    await until("the event arrives", async () => (await list(webhookId))[0]?.status === "delivered");
    const rotated = await webhooks.rotateWebhookSecret({ webhookId }, admin());
    const [delivery] = await list(webhookId);
    await webhooks.replayDelivery({ webhookId, deliveryId: delivery?.id ?? "" }, admin());
    await until("it arrives again", () => received.length === 2);
    const [first, replayed] = received;
    assert.ok(first && replayed);
    assert.equal(replayed.headers["webhook-id"], first.headers["webhook-id"]);
    verified(first, secret);
    verified(replayed, secret, rotated.secret);
    world.clock.advance(day);
    const { delivery: tested } = await webhooks.testWebhook({ webhookId }, admin());
    assert.deepEqual([tested?.status, tested?.attempts[0]?.status], ["delivered", 204]);
    assert.deepEqual(types(), ["thread.completed", "thread.completed", "webhook.test"]);
    const [last] = received.slice(-1);
    assert.ok(last);
    verified(last, rotated.secret);
  });
});

describe("the events of the sessions service", () => {
  test("are delivered in order with the ids of their documents, and leave that service only afterwards", async (t) => {
    const { world, subscribe } = await startWorld(t);
    const { url, received, types } = await startReceiver(t, status(500));
    const { secret } = await subscribe(url, { events: ["approval.requested", "approval.decided"] });
    const at = timestampFromDate(new Date(world.clock.now()));
    const notice = (id: string, type: string, data: Record<string, string>) =>
      create(NoticeSchema, { id, type, at, data });
    const ids = { approvalId: "apr_1", sessionId: "ses_1", toolName: "refund" };
    const document = { id: "apr_1", projectId, agentId: "agt_shop", ids };
    world.fake.noticed.push(
      create(NoticedDocumentSchema, {
        ...document,
        notices: [
          notice("evt_1", "approval.requested", { status: "pending" }),
          notice("evt_2", "approval.decided", { status: "approved" }),
          notice("evt_3", "approval.forgotten", {}),
        ],
      }),
    );
    await until("both events were sent", () => received.length >= 2);
    world.clock.advance(10 * second);
    await until("the first one is repeated", () => received.length === 3);
    assert.deepEqual(new Set(types()), new Set(["approval.requested", "approval.decided"]));
    const decided = received.find(({ headers }) => headers["webhook-id"] === "evt_2");
    assert.deepEqual(decided && verified(decided, secret), {
      ...{ type: "approval.decided", timestamp: "2026-11-22T12:00:00.000Z", sequence: 2 },
      data: { projectId, agentId: "agt_shop", ...ids, status: "approved" },
    });
    // A newer release has added its type, and takes it.
    assert.deepEqual(
      world.fake.noticed[0]?.notices.map(({ id }) => id),
      ["evt_3"],
    );
  });
});

test("the event of a thread that waits names the approvals and the calls of services that it waits for", async (t) => {
  const { world, agentId, start, subscribe } = await startWorld(t);
  const { url, received } = await startReceiver(t);
  await subscribe(url, { events: ["thread.waiting"] });
  const { threadId } = await start("mine");
  const run = await claimNext(world, agentId);
  await run.begin();
  const at = new Date(world.clock.now());
  const openCalls = [{ callId: "call_a", toolCallId: "call_7" }];
  const wait = { since: at, approvalIds: ["apr_1"], openCalls, lookAt: at };
  const asked = ask({ id: "run_1:1:1", calls: [], executionId: "exe_1" }, wait, run.driver);
  assert.notEqual(await world.threads.move(run.threadKey, asked), null);
  await until("the event arrives", () => received.length === 1);
  assert.deepEqual(JSON.parse(received[0]?.body ?? "{}").data, {
    ...{ projectId, agentId, threadId, status: "queued" },
    ...{ approvalIds: ["apr_1"], toolCallIds: ["call_7"] },
  });
});

describe("the callback of a dispatch", () => {
  test("receives later events also after its URL has answered with 410", async (t) => {
    const { world, webhooks, agentId, start, admin } = await startWorld(t);
    const { url, types } = await startReceiver(t, status(410));
    await webhooks.rotateCallbackSecret({ projectId }, admin());
    await start("mine", { callbackUrl: url });
    const mine = await claimNext(world, agentId, "run_mine");
    await mine.begin();
    await until("it has refused the first event", () => types().length === 1);
    await mine.complete();
    await mine.free();
    await until("it gets the second one", () => types().length === 2);
    assert.deepEqual(types(), ["thread.running", "thread.completed"]);
  });

  test("receives the events of its thread only, signed with the project's secret, without which it is refused", async (t) => {
    const { world, webhooks, agentId, start, run, admin } = await startWorld(t);
    const { url, received, types } = await startReceiver(t);
    const refused = await refusal(start("early", { callbackUrl: url }));
    assert.deepEqual([refused.reason, refused.issues[0]?.path], [Reason.INVALID_REQUEST, "callback"]);
    assert.match(refused.message, /callback-secret/);
    const first = await webhooks.rotateCallbackSecret({ projectId }, admin());
    assert.equal(first.earlierUntil, undefined);
    const { secret } = await webhooks.rotateCallbackSecret({ projectId }, admin());
    const { threadId } = await start("mine", { callbackUrl: url });
    const mine = await claimNext(world, agentId, "run_mine");
    await mine.begin();
    await mine.block({ type: "limit", reason: "The month's budget is spent." });
    await mine.free();
    await run("other");
    await until("both events arrive", () => received.length === 2);
    assert.deepEqual(types(), ["thread.running", "thread.blocked"]);
    for (const one of received) assert.equal(verified(one, secret, first.secret).data.threadId, threadId);
    assert.deepEqual((await webhooks.listWebhooks({}, admin())).webhooks, []);
  });
});

test("a webhook has a slug of its own, and changes and ends only at the expected revision", async (t) => {
  const { webhooks, admin, subscribe, get } = await startWorld(t);
  const { webhookId } = await subscribe("http://127.0.0.1:9/", { managed: true });
  const second = await subscribe("http://127.0.0.1:9/");
  const taken = subscribe("http://127.0.0.1:9/", { slug: "127-0-0-1" });
  assert.equal((await refusal(taken)).reason, Reason.SLUG_TAKEN);
  const slugs = [(await get(webhookId))?.slug, (await get(second.webhookId))?.slug];
  assert.deepEqual(slugs, ["127-0-0-1", `127-0-0-1-${second.webhookId.slice(-8)}`]);
  const change = async (fields: object) =>
    (await webhooks.updateWebhook({ webhookId, ...fields }, admin())).webhook;
  const changed = await change({ description: "Ops", expectedRevisions: [1] });
  assert.deepEqual([changed?.revision, changed?.managed], [2, true]);
  const stale = { description: "Lost", expectedRevisions: [1] };
  const end = (expectedRevisions: number[]) =>
    webhooks.deleteWebhook({ webhookId, expectedRevisions }, admin());
  assert.equal((await refusal(change(stale))).reason, Reason.VERSION_MISMATCH);
  assert.equal((await refusal(end([1]))).reason, Reason.VERSION_MISMATCH);
  const kept = await get(webhookId);
  assert.deepEqual([kept?.description, kept?.enabled, kept?.revision], ["Ops", true, 2]);
  await end([2]);
  assert.equal((await refusal(get(webhookId))).reason, Reason.NOT_FOUND);
});

describe("the URL of a webhook", () => {
  test("must be https and public unless the operator lists its host, and other bad fields are named together", async (t) => {
    const { webhooks, admin } = await startWorld(t);
    const events = ["thread.completed"];
    const urls = [
      "http://example.com/a",
      "https://10.0.0.7/a",
      "https://user:pw@example.com",
      "nonsense",
      "",
    ];
    for (const url of urls) {
      const { reason, issues } = await refusal(webhooks.createWebhook({ url, events }, admin()));
      assert.deepEqual([reason, issues[0]?.path], [Reason.INVALID_REQUEST, "url"], url);
    }
    const bad = { url: "", events: ["thread.exploded"], agentId: "no id", description: "x".repeat(501) };
    const { issues } = await refusal(webhooks.createWebhook(bad, admin()));
    assert.deepEqual(
      issues.map(({ path }) => path),
      ["url", "events", "agentId", "description"],
    );
  });

  test("whose host does not exist fails the test of the webhook with a sentence", async (t) => {
    const { subscribe, webhooks, admin } = await startWorld(t);
    const { webhookId } = await subscribe("https://nowhere.invalid/hook");
    const { delivery } = await webhooks.testWebhook({ webhookId }, admin());
    assert.equal(delivery?.status, "failed");
    assert.equal(delivery?.attempts[0]?.problem, "The host nowhere.invalid cannot be found.");
  });
});
