import assert from "node:assert/strict";
import { Reason } from "@muster/rpc";
import { describe, test } from "vitest";
import type { UsageRecord } from "../src/store/usage-document.ts";
import { research } from "./support/definitions.ts";
import {
  type Instance,
  projectId,
  readAll,
  readSession,
  refusal,
  say,
  scriptedModel,
  startWorld,
  typesOf,
  type World,
} from "./support/harness.ts";
import { offerTool, startService } from "./support/http-tool.ts";
import { readStart, startSaying } from "./support/starting.ts";
import { asksForOwls, goOn, pricedModels, start } from "./support/worker-harness.ts";

const model = "openai/gpt-4o-mini";
const usage = { inputTokens: 1_000, outputTokens: 100 };
const answers = { parts: [{ text: "It has arrived." }], usage };
/** Less than one call costs, at 0.15 and 0.60 dollars per million tokens. */
const limits = { subjectMonthlyUsd: "0.0002" };

/** A token as minted for the subject. */
const tokenOf = (subject?: string) => ({
  tokenId: `tok_${subject ?? "none"}`,
  permissions: new Set(["sessions"] as const),
  ...(subject !== undefined && { subject }),
});

async function open(world: World, { client }: Instance, subject: string, MODEL = model): Promise<string> {
  const request = { agentId: "agt_chat", inputJson: JSON.stringify({ MODEL }), subject };
  return (await client.createSession(request, world.as())).sessionId;
}

describe("the monthly limit of subjects", () => {
  test("counts the sessions and executions of one subject with all keys, and none of another", async (t) => {
    const world = await startWorld(t, [answers, answers]);
    world.agents.set("agt_research", [research]);
    const instance = await world.addInstance({}, { models: pricedModels(world) });
    const { client } = instance;
    world.auth.setLimits(projectId, { limits });
    const [ada, bob] = [await open(world, instance, "ada"), await open(world, instance, "bob")];
    const another = await open(world, instance, "ada");
    await readAll(client.trigger(say(ada, "one"), world.as({ keyId: "key_a" })));
    const asB = world.as({ keyId: "key_b" });
    const refused = await refusal(readAll(client.trigger(say(another, "two"), asB)));
    assert.equal(refused.reason, Reason.SPENDING_LIMIT);
    assert.match(refused.message, /^The subject has reached its spending limit/);
    const opening = {
      ...startSaying("Hi", {}, { inputJson: JSON.stringify({ MODEL: model }) }),
      subject: "ada",
    };
    assert.equal((await refusal(readStart(instance, world, opening))).reason, Reason.SPENDING_LIMIT);
    const worker = start({ TOPIC: "owls", MODEL: model });
    const ofAda = world.as(tokenOf("ada"));
    const run = await refusal(readAll(client.executeWorker(worker, ofAda)));
    assert.equal(run.reason, Reason.SPENDING_LIMIT);
    const events = await readAll(client.trigger(say(bob, "three"), asB));
    assert.ok(typesOf(events).includes("finish"));
    const db = world.store.db.client.db(`${world.store.databasePrefix}_sessions`);
    const records = await db.collection<UsageRecord>("usage").find({}).sort({ subject: 1 }).toArray();
    assert.deepEqual(
      records.map(({ subject, keyId }) => [subject, keyId]),
      [
        ["ada", "key_a"],
        ["bob", "key_b"],
      ],
    );
    const day = records[0]?.at.toISOString().slice(0, 10) ?? "";
    const admin = world.as({ permissions: new Set(["admin"]) });
    const report = await client.reportUsage({ from: day, to: day, groupBy: "subject" }, admin);
    assert.deepEqual(
      report.groups.map(({ name, calls }) => [name, calls]),
      [
        ["ada", 1n],
        ["bob", 1n],
      ],
    );
  });
});

describe("a token for a subject", () => {
  test("opens sessions of its subject, and finds no others", async (t) => {
    const world = await startWorld(t, [answers]);
    const instance = await world.addInstance();
    const { client } = instance;
    const ofBob = await open(world, instance, "bob", scriptedModel);
    const request = { agentId: "agt_chat", inputJson: JSON.stringify({ MODEL: scriptedModel }) };
    const ada = world.as(tokenOf("ada"));
    const { sessionId } = await client.createSession(request, ada);
    assert.equal((await readSession(client, { sessionId }, ada)).session?.subject, "ada");
    assert.ok((await readAll(client.trigger(say(sessionId, "Hi"), ada))).length > 0);
    for (const call of [
      () => readSession(client, { sessionId: ofBob }, ada),
      () => readAll(client.trigger(say(ofBob, "Hi"), ada)),
      () => client.cancelExecution({ sessionId: ofBob, executionId: "exe_1" }, ada),
    ])
      assert.equal((await refusal(call())).reason, Reason.NOT_FOUND);
    for (const [caller, subject] of [
      ["ada", "bob"],
      [undefined, "bob"],
    ] as const) {
      const chosen = client.createSession({ ...request, subject }, world.as(tokenOf(caller)));
      assert.equal((await refusal(chosen)).reason, Reason.FORBIDDEN);
    }
    const empty = await refusal(client.createSession({ ...request, subject: " " }, world.as()));
    assert.equal(empty.issues[0]?.path, "subject");
  });

  test("continues executions of its subject only", async (t) => {
    const world = await startWorld(t, [asksForOwls, answers]);
    world.agents.set("agt_research", [research]);
    const { client } = await world.addInstance();
    const [ada, bob] = [world.as(tokenOf("ada")), world.as(tokenOf("bob"))];
    const [first] = await readAll(client.executeWorker(start(), ada));
    const continuation = goOn(String(first?.executionId));
    assert.equal((await refusal(readAll(client.executeWorker(continuation, bob)))).reason, Reason.NOT_FOUND);
    assert.ok((await readAll(client.executeWorker(continuation, ada))).length > 0);
  });
});

test("an HTTP tool learns for whom the session is", async (t) => {
  const { received, url } = await startService(t, [{ status: 200, body: '"done"' }]);
  const refund = { id: "call_1", name: "refund", arguments: { amount: 7 } };
  const world = await startWorld(t, [{ parts: [{ toolCall: refund }] }, answers]);
  offerTool(world, url);
  const instance = await world.addInstance({ toolAllowedHosts: ["127.0.0.1"] });
  const sessionId = await open(world, instance, "ada", scriptedModel);
  await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
  const { subject, toolCallId } = JSON.parse(received[0]?.body ?? "{}");
  assert.deepEqual([toolCallId, subject], ["call_1", "ada"]);
});
