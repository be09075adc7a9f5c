import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { CreateHookRequest } from "@muster/proto/hooks";
import { platformPrincipal, Reason } from "@muster/rpc";
import { Secret } from "@muster/service";
import { until } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { refusal, startWithAgent } from "./support/harness.ts";
import { claimNext } from "./support/run.ts";

const secret = "It's a Secret to Everybody";
const config = { secretsKeys: [new Secret("ab".repeat(32))] };
const day = 24 * 3_600_000;

async function startHooks(t: TestContext) {
  const started = await startWithAgent(t, {}, config);
  const { world, hooks, agentId, key } = started;
  const manager = () => world.as();
  const create = async (
    fields: Partial<Omit<CreateHookRequest, "$typeName" | "verify">> & {
      verify?: { type: string; secret: string };
    } = {},
  ) => {
    const verify = { type: "github", secret };
    const usual = { agentId, name: "New issues", verify, message: "Look at {{TITLE}}" };
    const { hook } = await hooks.createHook({ ...usual, ...fields }, manager());
    assert.ok(hook);
    return hook;
  };
  const post = (hookId: string, headers: Record<string, string>, body: string | Uint8Array) =>
    hooks.acceptDelivery({ hookId, headers, body: Buffer.from(body) }, world.as(platformPrincipal));
  /** Signed like an event of GitHub. */
  const send = async (hookId: string, value: unknown, from = hooks, sent = secret) => {
    const body = typeof value === "string" ? value : JSON.stringify(value);
    const signature = createHmac("sha256", sent).update(body).digest("hex");
    const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
    const request = { hookId, headers, body: Buffer.from(body) };
    return (await from.acceptDelivery(request, world.as(platformPrincipal))).deliveryId ?? "";
  };
  const list = async (hookId: string) =>
    (await hooks.listHookDeliveries({ agentId, hookId }, manager())).deliveries.toReversed();
  const settled = async (hookId: string, count: number) => {
    await until(`${count} deliveries have ended`, async () => {
      const ended = (await list(hookId)).filter(({ status }) => status !== "accepted");
      return ended.length === count;
    });
    return list(hookId);
  };
  const messagesOf = async (threadId: string) => {
    const thread = await world.threads.find({ ...key, threadId });
    const all = [thread?.message ?? null, ...(thread?.inbox ?? [])];
    return all.flatMap((message) => (message === null ? [] : [message.text]));
  };
  return { ...started, manager, create, post, send, list, settled, messagesOf };
}

describe("a hook", () => {
  test("is shown without its secret, changes on the condition of its revision, and is gone with its deliveries", async (t) => {
    const { hooks, agentId, create, send, list, manager, settled, world } = await startHooks(t);
    const hook = await create({ filterJson: '{"type":"object"}', threadKey: "{{ID}}" });
    const other = await create();
    assert.deepEqual(
      [hook.slug, hook.revision, hook.managed, hook.verify?.secret, hook.enabled],
      ["new-issues", 1, false, "", true],
    );
    assert.match(other.slug, /^new-issues-\w{8}$/);
    assert.equal((await refusal(create({ slug: hook.slug }))).reason, Reason.SLUG_TAKEN);
    const change = { agentId, hookId: hook.id, managed: true, threadKey: "", filterJson: "" };
    const update = (expectedRevisions: number[]) =>
      hooks.updateHook({ ...change, expectedRevisions }, manager());
    assert.equal((await refusal(update([2]))).reason, Reason.VERSION_MISMATCH);
    const { hook: changed } = await update([1]);
    assert.deepEqual(
      [changed?.revision, changed?.managed, changed?.threadKey, changed?.filterJson],
      [2, true, undefined, undefined],
    );
    await send(hook.id, { title: "one" });
    await settled(hook.id, 1);
    assert.equal((await hooks.listHooks({ agentId }, manager())).hooks.length, 2);
    await hooks.deleteHook({ agentId, hookId: hook.id }, manager());
    assert.equal((await refusal(list(hook.id))).reason, Reason.NOT_FOUND);
    assert.equal((await refusal(send(hook.id, {}))).reason, Reason.UNAUTHENTICATED);
    assert.equal(await world.collection("hook_deliveries").countDocuments(), 0);
    assert.ok(!JSON.stringify(await world.collection("hooks").find().toArray()).includes("Everybody"));
  });

  test("that could not work as its author means is refused with every reason", async (t) => {
    const { create } = await startHooks(t);
    const verify = { type: "standard-webhooks", secret };
    const { reason, issues } = await refusal(
      create({
        ...{ name: "", slug: "No", verify, message: "{{#if A}}", threadKey: "{{issue.id}}" },
        filterJson: '{"properties":{"a":{"pattern":"x"}}}',
      }),
    );
    assert.equal(reason, Reason.INVALID_REQUEST);
    const paths = ["slug", "name", "verify.secret", "filter", "message", "threadKey"];
    assert.deepEqual(
      issues.map(({ path }) => path),
      paths,
    );
    const filter = await refusal(create({ filterJson: '{"type":"text"}' }));
    assert.deepEqual(
      filter.issues.map(({ path }) => path),
      ["filter"],
    );
  });

  test("makes one message of each event, however often and to whichever instance it is sent", async (t) => {
    const { world, create, send, settled, messagesOf, client, own, agentId } = await startHooks(t);
    const hook = await create();
    const second = await world.addInstance(config);
    const ids = await Promise.all([
      ...Array.from({ length: 5 }, () => send(hook.id, { title: "one" })),
      ...Array.from({ length: 5 }, () => send(hook.id, { title: "one" }, second.hooks)),
      send(hook.id, { title: "two" }),
    ]);
    assert.equal(new Set(ids).size, 2);
    const deliveries = await settled(hook.id, 2);
    for (const { status, threadId = "", bodyStart } of deliveries) {
      assert.equal(status, "dispatched");
      assert.deepEqual(await messagesOf(threadId), [`Look at ${JSON.parse(bodyStart).title}`]);
      const { thread } = await client.getThread({ agentId, threadId }, own);
      assert.deepEqual([thread?.origin?.kind, thread?.origin?.id], ["hook", hook.id]);
    }
    assert.equal((await client.listThreads({ agentId }, own)).threads.length, 2);
  });

  test("that does not exist or is disabled is refused like a wrong signature, and only the platform passes deliveries on", async (t) => {
    const { hooks, agentId, create, post, send, manager, world } = await startHooks(t);
    const hook = await create();
    await hooks.updateHook({ agentId, hookId: hook.id, enabled: false }, manager());
    const other = await create();
    const refusals = await Promise.all([
      refusal(send(hook.id, {})),
      refusal(send("hok_unknown", {})),
      refusal(send(other.id, {}, hooks, "another secret of someone")),
      refusal(post(other.id, {}, "{}")),
      refusal(post(other.id, {}, "")),
    ]);
    for (const { reason, message } of refusals)
      assert.deepEqual([reason, message], [Reason.UNAUTHENTICATED, refusals[0]?.message]);
    const request = { hookId: other.id, headers: {}, body: Buffer.from("{}") };
    assert.equal((await refusal(hooks.acceptDelivery(request, manager()))).reason, Reason.FORBIDDEN);
    assert.equal(await world.collection("hook_deliveries").countDocuments(), 0);
  });

  test("filters bodies with a reason, fails those that make no message, and carries out one of them again on request", async (t) => {
    const { hooks, agentId, create, send, settled, messagesOf, manager } = await startHooks(t);
    const filterJson = '{"properties":{"action":{"const":"opened"}},"required":["action"]}';
    const hook = await create({ filterJson, message: "{{TITLE}}" });
    await send(hook.id, { action: "closed" });
    await send(hook.id, { action: "opened", title: " " });
    await send(hook.id, { action: "opened", title: "one" });
    const [closed, blank, opened] = await settled(hook.id, 3);
    assert.deepEqual([closed?.status, closed?.reason], ["filtered", 'body.action must be "opened".']);
    assert.deepEqual([blank?.status, /message/.test(blank?.reason ?? "")], ["failed", true]);
    assert.equal(opened?.status, "dispatched");
    await hooks.updateHook({ agentId, hookId: hook.id, filterJson: "", message: "{{ACTION}}!" }, manager());
    const { delivery } = await hooks.replayHookDelivery(
      { agentId, hookId: hook.id, deliveryId: closed?.id ?? "" },
      manager(),
    );
    assert.deepEqual([delivery?.replayOf, delivery?.id === closed?.id], [closed?.id, false]);
    const replayed = (await settled(hook.id, 4)).at(-1);
    assert.deepEqual(await messagesOf(replayed?.threadId ?? ""), ["closed!"]);
    const unknown = hooks.replayHookDelivery({ agentId, hookId: hook.id, deliveryId: "hdl_x" }, manager());
    assert.equal((await refusal(unknown)).reason, Reason.NOT_FOUND);
  });

  test("sends deliveries with one thread key to one thread in their order, and begins another when that is closed", async (t) => {
    const { world, agentId, key, create, send, settled, messagesOf } = await startHooks(t);
    const hook = await create({ message: "{{N}}", threadKey: "{{ISSUE}}" });
    for (const [issue, n] of [
      ["a", 1],
      ["b", 2],
      ["a", 3],
      ["a", 4],
      ["", 5],
    ])
      await send(hook.id, { issue, n });
    const deliveries = await settled(hook.id, 5);
    const [first, other, , last, alone] = deliveries.map(({ threadId = "" }) => threadId);
    assert.deepEqual(await messagesOf(first ?? ""), ["1", "3", "4"]);
    assert.equal(last, first);
    assert.deepEqual(await messagesOf(other ?? ""), ["2"]);
    assert.equal(new Set([first, other, alone]).size, 3);
    await world.collection("threads").updateOne({ _id: first as never }, { $set: { closed: true } });
    await send(hook.id, { issue: "a", n: 6 });
    const later = (await settled(hook.id, 6)).at(-1)?.threadId ?? "";
    assert.notEqual(later, first);
    assert.deepEqual(await messagesOf(later), ["6"]);
    const run = await claimNext(world, agentId, "run_1");
    await run.begin();
    assert.equal((await world.threads.find({ ...key, threadId: run.threadId }))?.message?.isForeign, true);
  });

  test("waits while its agent's queue is full, and gives up after an hour", async (t) => {
    const { world, agentId, create, send, settled, list } = await startHooks(t);
    const hook = await create();
    const agents = world.collection("agents");
    const fill = (queue: string[]) => agents.updateOne({ _id: agentId as never }, { $set: { queue } });
    const full = Array.from({ length: 1_000 }, (_, index) => `thr_${index}`);
    await fill(full);
    await send(hook.id, { title: "one" });
    const waits = async () => (await list(hook.id)).at(-1)?.reason !== undefined;
    await until("it has been tried", waits);
    await fill([]);
    world.clock.advance(60_000);
    assert.equal((await settled(hook.id, 1))[0]?.status, "dispatched");
    await fill(full);
    await send(hook.id, { title: "two" });
    await until("it has been tried", waits);
    world.clock.advance(3_700_000);
    const [, failed] = await settled(hook.id, 2);
    assert.deepEqual([failed?.status, /Too many threads/.test(failed?.reason ?? "")], ["failed", true]);
  });

  test("reads forms, answers Slack's check of its address, and stores no secret of the body", async (t) => {
    const { world, create, post, settled, list, messagesOf } = await startHooks(t);
    const slackSecret = "8f742231b10e8888abcd99yyyzzz85a5";
    const hook = await create({
      verify: { type: "slack", secret: slackSecret },
      message: "{{TYPE}} {{TEXT}}",
    });
    const slack = (type: string, body: string, at = world.clock.now()) => {
      const time = String(Math.floor(at / 1_000));
      const mac = createHmac("sha256", slackSecret).update(`v0:${time}:${body}`).digest("hex");
      const signed = { "x-slack-request-timestamp": time, "x-slack-signature": `v0=${mac}` };
      return post(hook.id, { "content-type": type, ...signed }, body);
    };
    const form = "application/x-www-form-urlencoded";
    const token = "Jhj5dZrVaK7ZwHHjRyZWjbDl";
    const check = JSON.stringify({ type: "url_verification", token, challenge: "3eZbrw1aBm" });
    assert.deepEqual((await slack("application/json", check)).challenge, "3eZbrw1aBm");
    assert.deepEqual(await list(hook.id), []);
    await slack(
      form,
      `payload=${encodeURIComponent(JSON.stringify({ type: "block_actions", token, text: slackSecret }))}`,
    );
    await slack(form, "command=%2Fask&text=Why%3F&type=command");
    const [payload, command] = await settled(hook.id, 2);
    assert.deepEqual(await messagesOf(payload?.threadId ?? ""), ["block_actions …"]);
    assert.deepEqual(await messagesOf(command?.threadId ?? ""), ["command Why?"]);
    const stored = JSON.stringify(await world.collection("hook_deliveries").find().toArray());
    assert.ok(!stored.includes(token) && !stored.includes(slackSecret));
    assert.equal(
      (await refusal(slack(form, "text=old", world.clock.now() - 301_000))).reason,
      Reason.UNAUTHENTICATED,
    );
    for (const body of ["not JSON", '{"__proto__":1}', "\xff"])
      assert.equal((await refusal(slack("text/plain", body))).reason, Reason.INVALID_REQUEST, body);
  });

  test("accepts its earlier secret for a day after a change", async (t) => {
    const { world, hooks, agentId, create, send, manager } = await startHooks(t);
    const hook = await create();
    const next = "another secret of the sender";
    const verify = { type: "github", secret: next };
    const { hook: changed } = await hooks.updateHook({ agentId, hookId: hook.id, verify }, manager());
    assert.equal(Number(changed?.earlierUntil?.seconds) * 1_000, world.clock.now() + day);
    await hooks.updateHook({ agentId, hookId: hook.id, verify }, manager());
    await send(hook.id, 1);
    await send(hook.id, 2, hooks, next);
    world.clock.advance(day);
    assert.equal((await refusal(send(hook.id, 3))).reason, Reason.UNAUTHENTICATED);
    await send(hook.id, 4, hooks, next);
  });
});
