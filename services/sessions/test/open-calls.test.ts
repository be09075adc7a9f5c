import assert from "node:assert/strict";
import { platformPrincipal, Reason } from "@muster/rpc";
import { Secret } from "@muster/service";
import { signWebhook } from "@muster/service/webhook-signature";
import { serve, type TestScope, until } from "@muster/testing";
import { describe, test } from "vitest";
import { createApprovalStore } from "../src/store/approval-store.ts";
import { openCallDocument } from "../src/turns/begin/approval-documents.ts";
import { addDoomed, leaseMs, openTurn, resume, survivorTimings } from "./support/adoption-harness.ts";
import { research } from "./support/definitions.ts";
import {
  type Instance,
  messagesOf,
  openSession,
  projectId,
  readAll,
  refusal,
  result,
  say,
  startWorld,
  typesOf,
  type World,
} from "./support/harness.ts";
import { offerTool, secret, startService, toolAt } from "./support/http-tool.ts";
import { start } from "./support/worker-harness.ts";

const timings = { ...survivorTimings, pollAskingEveryMs: 10, sweepApprovalsEveryMs: 10 };
const allowed = { timings, toolAllowedHosts: ["127.0.0.1"] };
const hour = 3_600_000;

const call = (id: string, name = "refund") => ({ id, name, arguments: { amount: 7 } });
const done = { parts: [{ text: "Done." }] };
const accepted = { status: 202, body: '{"accepted":true}' };

/** A turn whose call a service has accepted. `steps`: of its model afterwards. */
async function startOpen(
  t: TestScope,
  { more = "", steps = [done] }: { more?: string; steps?: Array<typeof done> } = {},
) {
  const { received, url } = await startService(t, [accepted]);
  const world = await startWorld(t, [{ parts: [{ toolCall: call("call_1") }] }, ...steps]);
  offerTool(world, url, { more });
  const instance = await world.addInstance(allowed);
  const sessionId = await openSession(world, instance);
  const events = await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
  const executionId = String(events[0]?.executionId);
  const { callId } = JSON.parse(received[0]?.body ?? "{}");
  return { world, instance, sessionId, executionId, events, callId: String(callId) };
}

type Opened = Awaited<ReturnType<typeof startOpen>>;

/** The request of a service that answers. `given`: another secret, another time or another id. */
function answerOf(
  world: World,
  callId: string,
  outcome: object,
  given: { secret?: string; shiftMs?: number; id?: string } = {},
) {
  const body = Buffer.from(JSON.stringify(outcome));
  const at = world.clock.now() + (given.shiftMs ?? 0);
  const headers = signWebhook([new Secret(given.secret ?? secret)], given.id ?? `result_${callId}`, body, at);
  return {
    callId,
    webhookId: headers["webhook-id"],
    webhookTimestamp: headers["webhook-timestamp"],
    webhookSignature: headers["webhook-signature"],
    body,
  };
}

function answer(
  { world }: Pick<Opened, "world">,
  { client }: Instance,
  ...args: Parameters<typeof answerOf> extends [World, ...infer Rest] ? Rest : never
) {
  return client.answerToolCall(answerOf(world, ...args), world.as(platformPrincipal));
}

const hasEnded = async ({ world, sessionId }: Opened) => (await world.document(sessionId)).execution === null;
const read = (world: World, index = 1) => JSON.stringify(world.provider.requests[index]?.body);

describe("a call that its service has accepted", () => {
  test("waits in the store, and the turn continues once with the signed result", async (t) => {
    const opened = await startOpen(t);
    const { world, instance, sessionId, executionId, events, callId } = opened;
    const last = events.at(-1);
    assert.ok(!typesOf(events).includes("approval-request"));
    assert.equal(last?.finishReason, "other");
    const expiresAt = new Date(world.clock.now() + 24 * hour).toISOString();
    assert.deepEqual(last?.openCalls, [{ callId, toolCallId: "call_1", toolName: "refund", expiresAt }]);
    const { lease, execution, expiresAt: until_ } = await world.document(sessionId);
    assert.deepEqual([lease, execution?.state], [null, "asking"]);
    assert.equal(until_?.toISOString(), new Date(world.clock.now() + 25 * hour).toISOString());
    const [, waiting] = await messagesOf(world, instance, sessionId);
    assert.equal(waiting?.parts.at(-1)?.status, "running");
    assert.ok(!("approval" in (waiting?.parts.at(-1) ?? {})));
    const { approvals } = await instance.client.listApprovals(
      {},
      world.as({ permissions: new Set(["approve"]) }),
    );
    assert.deepEqual(approvals, []);
    const first = await answer(opened, instance, callId, { result: { refund: "rf_1" } });
    const events2 = await resume(world, instance, { sessionId, executionId }, events.length);
    assert.equal(JSON.parse(events2.at(-1)?.json ?? "{}").finishReason, "stop");
    assert.equal(events2[0]?.sequence, events.length + 1);
    assert.match(read(world), /rf_1/);
    const again = await answer(opened, instance, callId, { result: { refund: "rf_1" } });
    assert.deepEqual(again.answeredAt, first.answeredAt);
    const other = answer(opened, instance, callId, { result: "rf_2" });
    assert.equal((await refusal(other)).reason, Reason.TOOL_CALL_ANSWERED);
    assert.equal(world.provider.requests.length, 2);
  });

  test("can be answered with an error, which the model reads", async (t) => {
    const opened = await startOpen(t);
    await answer(opened, opened.instance, opened.callId, { error: "The account is closed." });
    await until(() => hasEnded(opened));
    assert.match(read(opened.world), /The account is closed\./);
  });

  test("of many results that arrive at once on two instances, one wins and reaches the model once", async (t) => {
    const opened = await startOpen(t);
    const { world, instance, callId } = opened;
    const instances = [instance, await world.addInstance(allowed)];
    const sent = Array.from({ length: 50 }, (_, number) =>
      answer(opened, instances[number % 2] ?? instance, callId, { result: `rf_${number}` }).then(
        () => number,
        (error: unknown) => error,
      ),
    );
    const outcomes = await Promise.all(sent);
    const winners = outcomes.filter((outcome) => typeof outcome === "number");
    assert.equal(winners.length, 1);
    await until(() => hasEnded(opened));
    const results = [...read(world).matchAll(/rf_\d+/g)].map(([text]) => text);
    assert.deepEqual(results, [`rf_${winners[0]}`]);
    assert.equal(world.provider.requests.length, 2);
  });

  test("is answered only with the secret of its host, within 5 minutes, as if it did not exist otherwise", async (t) => {
    const opened = await startOpen(t);
    const { world, instance, callId } = opened;
    const value = { result: 1 };
    const unsigned = { callId, body: Buffer.from(JSON.stringify(value)) };
    const wrong = [
      answer(opened, instance, callId, value, { secret: `whsec_${Buffer.alloc(32).toString("base64")}` }),
      answer(opened, instance, callId, value, { shiftMs: -301_000 }),
      answer(opened, instance, callId, value, { id: callId }),
      answer(opened, instance, callId.replace(/_[0-9a-f]/, "_g"), value),
      answer(opened, instance, callId.replace(projectId, "prj_other"), value),
      answer(opened, instance, "apr_1", value),
      instance.client.answerToolCall(unsigned, world.as(platformPrincipal)),
    ];
    const refusals = await Promise.all(wrong.map(refusal));
    assert.deepEqual(new Set(refusals.map(({ reason }) => reason)), new Set([Reason.UNAUTHENTICATED]));
    assert.equal(new Set(refusals.map(({ message }) => message)).size, 1);
    const asUser = instance.client.answerToolCall(answerOf(world, callId, value), world.as());
    assert.equal((await refusal(asUser)).reason, Reason.FORBIDDEN);
    for (const bad of [{}, { result: 1, error: "x" }, { error: 7 }, { error: "" }])
      assert.equal((await refusal(answer(opened, instance, callId, bad))).reason, Reason.INVALID_REQUEST);
    await answer(opened, instance, callId, value);
  });

  test("expires after openFor, and the model reads so in one sentence", async (t) => {
    const opened = await startOpen(t, { more: ", openFor: 90m" });
    const { world, instance, callId } = opened;
    world.clock.advance(1.5 * hour + 1);
    const late = answer(opened, instance, callId, { result: 1 });
    assert.equal((await refusal(late)).reason, Reason.TOOL_CALL_CLOSED);
    await until(() => {
      // The jump of the clock can end a call between services, after which the sweep tries again in 15 s.
      world.clock.advance(500);
      return hasEnded(opened);
    });
    assert.match(read(world), /did not answer it in time; the call may have taken effect\./);
  });

  const closings: Array<[title: string, close: (opened: Opened) => Promise<unknown>, steps?: []]> = [
    [
      "a new trigger",
      ({ world, instance, sessionId }) =>
        readAll(instance.client.trigger(say(sessionId, "never mind"), world.as())),
    ],
    [
      "a cancel",
      async ({ world, instance, sessionId }) => {
        const { cancelled } = await instance.client.cancelExecution({ sessionId }, world.as());
        assert.equal(cancelled, true);
      },
      [],
    ],
    [
      "clearing",
      ({ world, instance, sessionId }) => instance.client.clearSession({ sessionId }, world.as()),
      [],
    ],
  ];
  for (const [title, close, steps] of closings)
    test(`is closed by ${title}`, async (t) => {
      const opened = await startOpen(t, { ...(steps && { steps }) });
      await close(opened);
      const named = { _id: opened.callId, projectId };
      const { find } = createApprovalStore(opened.world.sessions.db);
      await until(async () => (await find(named))?.status === "cancelled");
      const late = answer(opened, opened.instance, opened.callId, { result: 1 });
      assert.equal((await refusal(late)).reason, Reason.TOOL_CALL_CLOSED);
    });

  test("waits for the caller's results of the same step, and an earlier answer is not lost", async (t) => {
    const { received, url } = await startService(t, [accepted]);
    const orders = { id: "call_o", name: "get-order", arguments: { number: "7" } };
    const world = await startWorld(t, [{ parts: [{ toolCalls: [call("call_1"), orders] }] }, done]);
    offerTool(world, url);
    const instance = await world.addInstance(allowed);
    const sessionId = await openSession(world, instance);
    const events = await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
    assert.equal(events.at(-1)?.finishReason, "tool-calls");
    const { callId } = JSON.parse(received[0]?.body ?? "{}");
    assert.partialDeepStrictEqual(events.at(-1), { openCalls: [{ callId, toolCallId: "call_1" }] });
    await answer({ world }, instance, callId, { result: "rf_1" });
    const toolResults = [result("call_o", "on its way")];
    const more = await readAll(instance.client.trigger({ ...say(sessionId, ""), toolResults }, world.as()));
    assert.ok(Array.isArray(more.at(-1)?.openCalls));
    await until(async () => (await world.document(sessionId)).execution === null);
    assert.match(read(world), /rf_1/);
    assert.match(read(world), /on its way/);
  });

  test("is not lost if its process dies before it stores the turn, and is not made twice", async (t) => {
    const received: string[] = [];
    const url = await serve(t, (request) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => void received.push(body));
    });
    const world = await startWorld(t, [{ parts: [{ toolCalls: [call("call_1")] }] }, done]);
    offerTool(world, url);
    const doomed = await addDoomed(world, {}, allowed);
    const { sessionId, reader } = await openTurn(world, doomed);
    await until(() => received.length === 1);
    // All that the process did with the response of the service.
    const { callId } = JSON.parse(received[0] ?? "{}");
    const expiresAt = new Date(world.clock.now() + hour);
    const sent = { callId, toolCallId: "call_1", toolName: "refund", host: new URL(url).host, expiresAt };
    const session = await world.document(sessionId);
    const stored = openCallDocument(session, reader.executionId, sent, world.clock.now());
    await createApprovalStore(world.sessions.db).insert([stored]);
    const survivor = await world.addInstance(allowed);
    world.clock.advance(leaseMs + 1);
    const ids = { sessionId, executionId: reader.executionId };
    await resume(world, survivor, { ...ids, toPause: true });
    await answer({ world }, survivor, callId, { result: "rf_1" });
    await until(async () => (await world.document(sessionId)).execution === null);
    assert.match(read(world), /rf_1/);
    assert.equal(received.length, 1);
  });

  test("fails in an execution of a worker, which waits for its caller only", async (t) => {
    const { url } = await startService(t, [accepted]);
    const world = await startWorld(t, [{ parts: [{ toolCalls: [call("call_1")] }] }, done]);
    const protocol = research.protocol
      .replace("tools:\n", `tools:\n${toolAt(url)}`)
      .replace("tools: [look-up]", "tools: [refund]");
    offerTool(world, url);
    world.agents.set("agt_research", [{ ...research, protocol }]);
    const instance = await world.addInstance(allowed);
    await readAll(instance.client.executeWorker(start(), world.as()));
    assert.match(read(world), /which this execution cannot wait for/);
    assert.equal(await world.sessions.db.collection("approvals").countDocuments(), 0);
  });
});
