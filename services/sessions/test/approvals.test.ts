import assert from "node:assert/strict";
import type { Approval } from "@muster/proto/sessions";
import { Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { leaseMs, Reader, resume, survivorTimings, typesIn } from "./support/adoption-harness.ts";
import { chat } from "./support/definitions.ts";
import {
  type Instance,
  messagesOf,
  openSession,
  readAll,
  refusal,
  result,
  say,
  startWorld,
  textOf,
  typesOf,
  type World,
} from "./support/harness.ts";
import { readStart, scripted, startSaying } from "./support/starting.ts";

const timings = { ...survivorTimings, pollAskingEveryMs: 10, sweepApprovalsEveryMs: 10 };

/** Mails wait for a decision, orders do not. */
const careful = {
  ...chat,
  protocol: chat.protocol.replace(
    "    description: Sends a mail.\n",
    "    description: Sends a mail.\n    approval: { ask: true, title: 'Mail to {{to}}' }\n",
  ),
};

const mails = { parts: [{ toolCall: { id: "call_m", name: "send-mail", arguments: { to: "ada" } } }] };
const looksAndMails = {
  parts: [
    {
      toolCalls: [
        { id: "call_o", name: "get-order", arguments: { number: "7" } },
        { id: "call_m", name: "send-mail", arguments: { to: "ada" } },
      ],
    },
  ],
};
const answers = { parts: [{ text: "Done." }] };

async function startCareful(t: Parameters<typeof startWorld>[0], steps: Parameters<typeof startWorld>[1]) {
  const world = await startWorld(t, steps);
  world.agents.set("agt_chat", [careful]);
  return world;
}

function approver(world: World) {
  return world.as({ permissions: new Set(["sessions", "approve"]) });
}

async function inbox(world: World, { client }: Instance, request: object = {}): Promise<Approval[]> {
  return (await client.listApprovals(request, approver(world))).approvals;
}

/** A turn that has asked for one decision. */
async function ask(world: World, instance: Instance) {
  const sessionId = await openSession(world, instance);
  const events = await readAll(instance.client.trigger(say(sessionId, "mail ada"), world.as()));
  const [approval] = await inbox(world, instance);
  assert.ok(approval);
  return { sessionId, executionId: String(events[0]?.executionId), events, id: approval.id, approval };
}

describe("a call that needs approval", () => {
  test("a call that needs approval waits in the inbox, and the turn continues once it is approved", async (t) => {
    const world = await startCareful(t, [mails, answers]);
    const instance = await world.addInstance({ timings });
    const { sessionId, executionId, events, approval } = await ask(world, instance);
    assert.deepEqual(typesOf(events).slice(-3), ["persisted", "approval-request", "finish"]);
    assert.equal(events.at(-1)?.finishReason, "other");
    assert.deepEqual(events.at(-1)?.approvals, events.at(-2)?.approvals);
    assert.partialDeepStrictEqual(approval, {
      ...{ status: "pending", toolName: "send-mail", toolCallId: "call_m", title: "Mail to ada" },
      ...{ sessionId, executionId, argsJson: '{"to":"ada"}' },
    });
    const [, waiting] = await messagesOf(world, instance, sessionId);
    assert.partialDeepStrictEqual(waiting?.parts.at(-1), {
      status: "running",
      approval: { id: approval.id, status: "pending" },
    });
    const reader = new Reader(
      instance.client.resumeExecution({ sessionId, executionId, afterSequence: 0 }, world.as()),
    );
    await reader.until((seen) => seen.length === events.length);
    const decided = await instance.client.decideApproval(
      { id: approval.id, decision: "approve", message: "Go on." },
      approver(world),
    );
    assert.equal(decided.approval?.status, "approved");
    await reader.ended;
    const seen = reader.seen.map(({ json }) => JSON.parse(json));
    assert.deepEqual(
      reader.seen.map(({ sequence }) => sequence),
      reader.seen.map((_, index) => index + 1),
    );
    // The caller carries out the approved call as any other.
    assert.equal(seen.at(-1)?.finishReason, "tool-calls");
    const request = { sessionId, executionId, toolResults: [result("call_m", "sent")] };
    const done = await readAll(instance.client.trigger(request, world.as()));
    assert.equal(textOf(done), "Done.");
    const [, answer] = await messagesOf(world, instance, sessionId);
    assert.partialDeepStrictEqual(answer?.parts.at(0), {
      status: "done",
      approval: { status: "approved", message: "Go on." },
    });
  });

  test("a reader of the request that asked ends with the pause on every instance, also after the decision", async (t) => {
    const world = await startCareful(t, [mails, answers]);
    const instances = [await world.addInstance({ timings }), await world.addInstance({ timings })] as const;
    const { sessionId, executionId, events, id } = await ask(world, instances[0]);
    const last = events.length;
    const rest = async (instance: Instance, after: number) =>
      typesIn(await resume(world, instance, { sessionId, executionId, toPause: true }, after));
    const expected = ["approval-request", "finish"];
    for (const instance of instances) {
      assert.deepEqual(await rest(instance, last - 2), expected);
      assert.deepEqual(await rest(instance, last), []);
    }
    await instances[1].client.decideApproval({ id, decision: "deny" }, approver(world));
    await until(async () => (await world.document(sessionId)).execution === null);
    for (const instance of instances) assert.deepEqual(await rest(instance, last - 2), expected);
  });

  test("a repeated start whose turn asks ends with the pause", async (t) => {
    const world = await startCareful(t, [mails]);
    const instances = [await world.addInstance({ timings }), await world.addInstance({ timings })] as const;
    const start = startSaying("mail ada", {}, { ...scripted, idempotencyKey: "key-1", wantsResult: true });
    const asked = await readStart(instances[0], world, start);
    assert.match(asked.json.slice(-2).join(), /"finish".*"approvals".*"usage"/);
    for (const instance of instances) {
      const { json, result } = await readStart(instance, world, start);
      assert.deepEqual([json, result], [asked.json, asked.result]);
    }
  });

  test("a denied call fails with the words of the user, and the model continues", async (t) => {
    const world = await startCareful(t, [mails, answers]);
    const instance = await world.addInstance({ timings });
    const { sessionId, executionId, id } = await ask(world, instance);
    await instance.client.decideApproval({ id, decision: "deny", message: "Not to her." }, approver(world));
    const seen = await resume(world, instance, { sessionId, executionId });
    assert.equal(textOf(seen.map(({ json }) => JSON.parse(json))), "Done.");
    assert.match(JSON.stringify(world.provider.requests[1]?.body), /denied: Not to her\./);
  });

  test("calls of a step that need no approval are requested first, and users are asked after their results", async (t) => {
    const world = await startCareful(t, [looksAndMails, answers]);
    const instance = await world.addInstance({ timings });
    const sessionId = await openSession(world, instance);
    const paused = await readAll(instance.client.trigger(say(sessionId, "mail ada"), world.as()));
    assert.deepEqual(typesOf(paused).slice(-3), ["persisted", "tool-request", "finish"]);
    assert.deepEqual(await inbox(world, instance), []);
    const toolResults = [result("call_o", "arrived")];
    const asked = await readAll(instance.client.trigger({ ...say(sessionId, ""), toolResults }, world.as()));
    assert.deepEqual(typesOf(asked).slice(-3), ["persisted", "approval-request", "finish"]);
    const [approval] = await inbox(world, instance);
    const again = instance.client.trigger(
      { ...say(sessionId, ""), toolResults: [result("call_m", "sent")] },
      world.as(),
    );
    assert.equal((await refusal(readAll(again))).reason, Reason.UNKNOWN_TOOL_CALL);
    assert.equal((await inbox(world, instance))[0]?.status, "pending");
    await instance.client.decideApproval({ id: approval?.id ?? "", decision: "deny" }, approver(world));
    await until(async () => (await world.document(sessionId)).execution === null);
  });

  test("one of a hundred decisions on two instances wins, and the call is made once", async (t) => {
    const world = await startCareful(t, [mails]);
    world.provider.answerBy(() => answers);
    const instances = [await world.addInstance({ timings }), await world.addInstance({ timings })] as const;
    const { sessionId, id } = await ask(world, instances[0]);
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const { client } = instances[index % 2 === 0 ? 0 : 1];
        const decision = index % 3 === 0 ? "deny" : "approve";
        return client.decideApproval({ id, decision }, approver(world)).then(
          ({ approval }) => ({ decision, status: approval?.status }),
          async (error: unknown) => {
            assert.equal((await refusal(Promise.reject(error))).reason, Reason.APPROVAL_DECIDED);
            return { decision, status: undefined };
          },
        );
      }),
    );
    const winners = new Set(outcomes.flatMap(({ status }) => status ?? []));
    assert.equal(winners.size, 1);
    const [status] = winners;
    for (const { decision, status: answer } of outcomes)
      assert.equal(answer, decision === (status === "approved" ? "approve" : "deny") ? status : undefined);
    await until(async () => {
      const { execution, lease } = await world.document(sessionId);
      return lease === null && execution?.state !== "asking";
    });
    assert.equal(world.provider.requests.length, status === "approved" ? 1 : 2);
  });

  test("a call without a decision expires, and the model reads so", async (t) => {
    const world = await startCareful(t, [mails, answers]);
    const instance = await world.addInstance({ timings });
    const { sessionId, id } = await ask(world, instance);
    world.clock.advance(24 * 3_600_000 + 1);
    await until(async () => (await world.document(sessionId)).execution === null);
    assert.match(JSON.stringify(world.provider.requests[1]?.body), /no user approved it in time/);
    const late = instance.client.decideApproval({ id, decision: "approve" }, approver(world));
    assert.equal((await refusal(late)).reason, Reason.APPROVAL_EXPIRED);
  });

  test("a new trigger closes open approvals, and the calls are never made", async (t) => {
    const world = await startCareful(t, [mails, answers]);
    const instance = await world.addInstance({ timings });
    const { sessionId, id } = await ask(world, instance);
    const next = await readAll(instance.client.trigger(say(sessionId, "never mind"), world.as()));
    assert.equal(textOf(next), "Done.");
    await until(async () => (await inbox(world, instance))[0]?.status === "cancelled");
    const late = instance.client.decideApproval({ id, decision: "approve" }, approver(world));
    assert.equal((await refusal(late)).reason, Reason.APPROVAL_DECIDED);
    const [, answer] = await messagesOf(world, instance, sessionId);
    assert.partialDeepStrictEqual(answer?.parts[0], {
      status: "cancelled",
      approval: { status: "cancelled" },
    });
  });

  test("a cancelled turn that asks ends, and its followers read the end", async (t) => {
    const world = await startCareful(t, [mails]);
    const instance = await world.addInstance({ timings });
    const { sessionId, executionId } = await ask(world, instance);
    const { cancelled } = await instance.client.cancelExecution({ sessionId }, world.as());
    assert.equal(cancelled, true);
    const seen = await resume(world, instance, { sessionId, executionId });
    assert.deepEqual(JSON.parse(seen.at(-1)?.json ?? "{}").finishReason, "other");
    assert.equal((await inbox(world, instance))[0]?.status, "cancelled");
    assert.equal((await world.document(sessionId)).execution, null);
  });

  test("edited arguments replace those of the model if they match the tool's schema, and both are kept", async (t) => {
    const world = await startCareful(t, [mails]);
    const instance = await world.addInstance({ timings });
    const { sessionId, id } = await ask(world, instance);
    const wrong = { id, decision: "approve", argsJson: '{"to":7}' };
    assert.equal(
      (await refusal(instance.client.decideApproval(wrong, approver(world)))).reason,
      Reason.INVALID_REQUEST,
    );
    const right = { id, decision: "approve", argsJson: '{"to":"bob"}' };
    const { approval } = await instance.client.decideApproval(right, approver(world));
    assert.deepEqual([approval?.argsJson, approval?.editedArgsJson], ['{"to":"ada"}', '{"to":"bob"}']);
    await until(async () => (await world.document(sessionId)).execution?.state === "paused");
    const [, waiting] = await messagesOf(world, instance, sessionId);
    assert.deepEqual(waiting?.parts.at(-1)?.args, { to: "bob" });
  });

  test("a decision outlives the process that made it: another one continues the turn, once", async (t) => {
    const world = await startCareful(t, [mails, answers]);
    const doomed = await world.addInstance({ timings: { ...timings, sweepApprovalsEveryMs: 3_600_000 } });
    const { sessionId, id } = await ask(world, doomed);
    await doomed.stop();
    // The write of the decision alone, as if the process had died right after it.
    const approvals = world.sessions.db.collection<{ _id: string }>("approvals");
    const decided = {
      status: "denied",
      decidedAt: new Date(world.clock.now()),
      wakeAt: new Date(world.clock.now()),
    };
    await approvals.updateOne({ _id: id }, { $set: decided });
    await Promise.all([world.addInstance({ timings }), world.addInstance({ timings })]);
    await until(async () => (await world.document(sessionId)).execution === null);
    assert.equal(world.provider.requests.length, 2);
  });

  test("a turn whose process dies after it has continued is adopted, and its events have no second meaning", async (t) => {
    const world = await startCareful(t, [mails, { parts: [{ text: "Lo" }], ending: "hang" }, answers]);
    const frozen = { ...timings, renewEveryMs: 3_600_000, drainMs: 20, sweepApprovalsEveryMs: 3_600_000 };
    const doomed = await world.addInstance({ timings: frozen });
    const { sessionId, executionId, id, events } = await ask(world, doomed);
    await doomed.client.decideApproval({ id, decision: "deny" }, approver(world));
    await until(() => world.provider.requests.length === 2);
    const survivor = await world.addInstance({ timings });
    world.clock.advance(leaseMs + 1);
    const seen = await resume(world, survivor, { sessionId, executionId }, events.length);
    const [, answer] = await messagesOf(world, survivor, sessionId);
    assert.equal(answer?.parts.at(-1)?.text, "Done.");
    assert.ok(seen.every(({ sequence }) => sequence > events.length));
  });

  test("the inbox has the newest approvals first, page by page, and only those of its filters", async (t) => {
    const world = await startCareful(t, [mails, mails]);
    const instance = await world.addInstance({ timings });
    const first = await ask(world, instance);
    world.clock.advance(5);
    const second = await ask(world, instance);
    const page = await instance.client.listApprovals({ limit: 1 }, approver(world));
    assert.deepEqual(
      page.approvals.map(({ id }) => id),
      [second.id],
    );
    const { nextCursor: cursor } = page;
    const rest = await instance.client.listApprovals({ limit: 1, cursor }, approver(world));
    assert.deepEqual([rest.approvals.map(({ id }) => id), rest.nextCursor], [[first.id], ""]);
    const { sessionId } = first;
    assert.deepEqual(
      (await inbox(world, instance, { sessionId })).map(({ id }) => id),
      [first.id],
    );
    assert.deepEqual(await inbox(world, instance, { status: "denied" }), []);
    const wrong = instance.client.listApprovals({ cursor: "nonsense" }, approver(world));
    assert.equal((await refusal(wrong)).reason, Reason.INVALID_REQUEST);
  });

  test("only callers with the permission approve see or decide approvals", async (t) => {
    const world = await startCareful(t, [mails]);
    const { client, ...instance } = await world.addInstance({ timings });
    const { id } = await ask(world, { client, ...instance });
    for (const call of [
      () => client.listApprovals({}, world.as()),
      () => client.getApproval({ id }, world.as()),
      () => client.decideApproval({ id, decision: "approve" }, world.as()),
    ])
      assert.equal((await refusal(call())).reason, Reason.FORBIDDEN);
    const elsewhere = { permissions: new Set(["approve"] as const), projectId: "prj_other" };
    assert.equal((await refusal(client.getApproval({ id }, world.as(elsewhere)))).reason, Reason.NOT_FOUND);
    const { approval, messagesJson } = await client.getApproval({ id }, approver(world));
    assert.equal(approval?.status, "pending");
    assert.match(messagesJson, /mail ada/);
  });
});
