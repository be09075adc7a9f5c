import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { UsageScope, View } from "@muster/proto/sessions";
import { permissions, Reason, workforcePrincipal } from "@muster/rpc";
import { describe, type TestContext, test } from "vitest";
import type { UsageRecord, UsageTotals } from "../src/store/usage-document.ts";
import {
  addDoomed,
  hasText,
  leaseMs,
  Reader,
  startAdoptionWorld,
  survivorTimings,
} from "./support/adoption-harness.ts";
import { chat } from "./support/definitions.ts";
import {
  type Instance,
  projectId,
  readAll,
  readSession,
  refusal,
  result,
  say,
  type World,
} from "./support/harness.ts";
import {
  asWorkforce,
  computerTools,
  hiddenSessions,
  openThread,
  type RunFields,
  runResults,
  runSaying,
  workforceAgentId,
} from "./support/workforce.ts";

const usage = { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 400, reasoningTokens: 10 };
const command: ScriptedStep = {
  parts: [{ toolCall: { id: "cmd_1", name: "shell__run_command", arguments: { command: "ls" } } }],
  usage,
};
const whole: ScriptedStep = { parts: [{ text: "Whole." }], usage };
/** Two steps in one call. */
const plan: ScriptedStep = {
  parts: [
    { text: "First a plan. " },
    {
      toolCall: { name: "platform_todo_write", arguments: { todos: [{ content: "a", status: "pending" }] } },
    },
  ],
  usage,
};

/** Two dollars for a step of `local/scripted`: its input 1 $ per thousand tokens, its output 10 $. */
const catalog = {
  priceVersion: "test 1",
  knows: () => true,
  contextLengthOf: () => undefined,
  nameOf: () => undefined,
  costOf: (_id: string, { inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) => ({
    currency: "USD" as const,
    providerFee: String(inputTokens / 1_000 + outputTokens / 100),
    bandwidthFee: "0.000000000000000001",
    totalFee: "not read",
  }),
};

async function start(t: TestContext, steps: ScriptedStep[] = []) {
  const world = await startAdoptionWorld(t, steps);
  const instance = await world.addInstance({ timings: survivorTimings }, { catalog });
  const sessionId = await openThread(world, instance);
  return { world, instance, sessionId };
}

const records = (world: World) => hiddenSessions(world).db.collection<UsageRecord>("usage");
const totals = (world: World) => hiddenSessions(world).db.collection<UsageTotals>("usage_totals");
const monthOf = (world: World) => new Date(world.clock.now()).toISOString().slice(0, 7);

async function run(world: World, { client }: Instance, request: object) {
  const reader = new Reader(client.trigger(request, asWorkforce(world)));
  const error = await reader.ended;
  if (error !== undefined) throw error;
  return reader.seen.map(({ json }) => JSON.parse(json));
}

async function sumOf(world: World, { client }: Instance, agent?: string) {
  const request = { month: monthOf(world), ...(agent !== undefined && { workforceAgentId: agent }) };
  const { totalFeeUsd, totalTokens } = await client.sumUsage(request, asWorkforce(world));
  return { totalFeeUsd, totalTokens: Number(totalTokens) };
}

async function shownUsage(world: World, { client }: Instance, sessionId: string) {
  const { session } = await readSession(client, { sessionId, view: View.UI }, asWorkforce(world));
  return JSON.parse(session?.usageJson ?? "");
}

const agentLimit = (fields: object): Pick<RunFields, "limits"> => ({
  limits: [{ scope: UsageScope.AGENT, ...fields }],
});

describe("the use of workforce agents", () => {
  test("each model step leaves one record, and the session and the sums show what they add up to", async (t) => {
    const { world, instance, sessionId } = await start(t, [plan, command, whole]);
    await run(
      world,
      instance,
      runSaying(sessionId, "hi", { requestId: "r0" }, { dynamicTools: computerTools }),
    );
    await run(world, instance, runResults(sessionId, [result("cmd_1", 1)], { requestId: "r1" }));
    const stored = await records(world).find().sort({ step: 1 }).toArray();
    assert.deepEqual(
      stored.map(({ step }) => step),
      [1, 2, 3],
    );
    const { _id, at, executionId, ...first } = stored[0] ?? assert.fail();
    assert.match(_id, new RegExp(`^${executionId}:1$`));
    assert.equal(at.getTime(), world.clock.now());
    assert.deepEqual(first, {
      ...{ projectId, workforceAgentId, agentId: "agt_chat", sessionId, step: 1, month: monthOf(world) },
      pending: true,
      modelId: "local/scripted",
      tokens: { input: 1_000, output: 100, cacheRead: 400, cacheWrite: 0, reasoning: 10 },
      ...{ priceVersion: "test 1", providerFee: "2", bandwidthFee: "0.000000000000000001", byok: false },
    });
    const sum = { totalFeeUsd: "6.000000000000000003", totalTokens: 3_300 };
    assert.deepEqual(await sumOf(world, instance, workforceAgentId), sum);
    assert.deepEqual(await sumOf(world, instance), sum);
    assert.deepEqual(await sumOf(world, instance, "agt_other"), { totalFeeUsd: "0", totalTokens: 0 });
    const shown = await shownUsage(world, instance, sessionId);
    assert.deepEqual([shown.cost.totalFee, shown.tokens.totalTokens], [6, 3_300]);
  });

  test("a project's sum has all of its agents, and no other month or project", async (t) => {
    const { world, instance, sessionId } = await start(t, [whole, whole, whole]);
    await run(world, instance, runSaying(sessionId, "hi", { requestId: "r" }));
    const other = { sessionId: "ses_second", workforceAgentId: "agt_kim" };
    await instance.client.createSession(
      { agentId: "agt_chat", inputJson: '{"MODEL":"local/scripted"}', workforce: other },
      asWorkforce(world),
    );
    await run(world, instance, runSaying(other.sessionId, "hi", { requestId: "r" }));
    assert.equal((await sumOf(world, instance)).totalTokens, 2_200);
    assert.equal((await sumOf(world, instance, "agt_kim")).totalTokens, 1_100);
    const elsewhere = world.as(workforcePrincipal("prj_other"));
    const theirs = await instance.client.sumUsage({ month: monthOf(world) }, elsewhere);
    assert.equal(theirs.totalTokens, 0n);
    world.clock.advance(40 * 24 * 3_600_000);
    assert.equal((await sumOf(world, instance)).totalTokens, 0);
    await run(world, instance, runSaying(sessionId, "hi", { requestId: "r2" }));
    assert.equal((await sumOf(world, instance)).totalTokens, 1_100);
  });

  test("a summary of older turns is charged in addition to its step, and limits are checked before it", async (t) => {
    const long = "lantern ".repeat(50);
    const answer: ScriptedStep = { parts: [{ text: "Fine." }], usage: { inputTokens: 10, outputTokens: 5 } };
    const world = await startAdoptionWorld(t, [answer, answer, answer, answer, answer]);
    const management = "agent:\n  contextManagement: { thresholdPercent: 50, recentPercent: 20 }\n";
    world.agents.set("agt_chat", [{ ...chat, protocol: chat.protocol.replace("agent:\n", management) }]);
    const instance = await world.addInstance({ localContextTokens: 1_000 }, { catalog });
    const sessionId = await openThread(world, instance);
    for (let turn = 1; turn <= 4; turn++)
      await run(world, instance, runSaying(sessionId, long, { requestId: `r${turn}` }));
    const ids = (await records(world).find().toArray()).map(({ _id }) => _id.split(":").slice(1).join(":"));
    assert.deepEqual(ids.sort(), ["1", "1", "1", "1", "1:summary1"]);
    assert.equal((await sumOf(world, instance)).totalTokens, 5 * 15);
    assert.equal((await shownUsage(world, instance, sessionId)).tokens.totalTokens, 5 * 15);
    const limited = runSaying(sessionId, long.repeat(4), {
      requestId: "r5",
      ...agentLimit({ monthlyTokens: 75n }),
    });
    const events = await run(world, instance, limited);
    assert.equal(events.find(({ type }) => type === "error")?.code, "USAGE_LIMIT");
    assert.equal(world.provider.requests.length, 5);
  });

  test("a summary by a worker is charged as a step of the worker, and limits are checked before it", async (t) => {
    const long = "lantern ".repeat(50);
    const steps = Array.from({ length: 5 }, (): ScriptedStep => {
      return { parts: [{ text: "Fine." }], usage: { inputTokens: 10, outputTokens: 5 } };
    });
    const world = await startAdoptionWorld(t, steps);
    const management = `workers:
  keeper: { description: Keeps the summary }
agent:
  contextManagement: { summarizerWorker: keeper, thresholdPercent: 50, recentPercent: 20 }
`;
    const keeper = `
input: { CONVERSATION: { type: string } }
variables: { SUMMARY: { type: string } }
steps:
  Open: { block: start-thread, thread: main, model: local/scripted }
  Ask: { block: add-message, role: user, prompt: task, input: [CONVERSATION] }
  Answer: { block: next-message, output: SUMMARY }
output: SUMMARY
`;
    world.agents.set("agt_chat", [{ ...chat, protocol: chat.protocol.replace("agent:\n", management) }]);
    const prompts = { task: "Keep {{CONVERSATION}}" };
    world.agents.set("keeper", [{ format: "worker", prompts, protocol: keeper }]);
    const instance = await world.addInstance({ localContextTokens: 1_000 }, { catalog });
    const sessionId = await openThread(world, instance);
    for (let turn = 1; turn <= 4; turn++)
      await run(world, instance, runSaying(sessionId, long, { requestId: `r${turn}` }));
    const ids = (await records(world).find().toArray()).map(({ _id }) => _id.split(":").slice(1));
    assert.equal(ids.length, 5);
    assert.deepEqual(
      ids.filter(([first]) => first?.startsWith("run_")).map(([, step]) => step),
      ["1"],
    );
    assert.equal((await sumOf(world, instance)).totalTokens, 5 * 15);
    assert.equal((await shownUsage(world, instance, sessionId)).tokens.totalTokens, 5 * 15);
    const limits = agentLimit({ monthlyTokens: 75n });
    const limited = runSaying(sessionId, long.repeat(4), { requestId: "r5", ...limits });
    const events = await run(world, instance, limited);
    assert.equal(events.find(({ type }) => type === "error")?.code, "USAGE_LIMIT");
    assert.equal(world.provider.requests.length, 5);
  });

  describe("an object that the model corrects", () => {
    const mood = (text: string): ScriptedStep => ({ parts: [{ text }], usage });
    const asksForMood = {
      ...chat,
      protocol: chat.protocol
        .replace("tools:\n", "types:\n  Mood: { mood: { type: string } }\ntools:\n")
        .replace("block: next-message", "block: next-message\n      responseType: Mood"),
    };

    async function startMood(t: TestContext, steps: ScriptedStep[]) {
      const world = await startAdoptionWorld(t, steps);
      world.agents.set("agt_chat", [asksForMood]);
      const instance = await world.addInstance({ timings: survivorTimings }, { catalog });
      return { world, instance, sessionId: await openThread(world, instance) };
    }

    test("both calls leave a record, and count", async (t) => {
      const steps = [mood('{"mood":7}'), mood('{"mood":"glad"}')];
      const { world, instance, sessionId } = await startMood(t, steps);
      await run(world, instance, runSaying(sessionId, "hi", { requestId: "r" }));
      const ids = (await records(world).find().toArray()).map(({ _id }) => _id.split(":").slice(1).join(":"));
      assert.deepEqual(ids.sort(), ["1", "1:repair"]);
      assert.equal((await sumOf(world, instance)).totalTokens, 2_200);
      assert.equal((await shownUsage(world, instance, sessionId)).tokens.totalTokens, 2_200);
    });

    test("a limit that the first call reaches prevents the second", async (t) => {
      const { world, instance, sessionId } = await startMood(t, [mood('{"mood":7}')]);
      const limits = agentLimit({ monthlyTokens: 1_100n });
      const events = await run(world, instance, runSaying(sessionId, "hi", { requestId: "r", ...limits }));
      assert.equal(events.find(({ type }) => type === "error")?.code, "USAGE_LIMIT");
      assert.equal(world.provider.requests.length, 1);
    });
  });

  test("a step that is made again after the death of its process counts once, and the session shows the same as the records", async (t) => {
    const hanging: ScriptedStep = { parts: [{ text: "Half an ans" }], ending: "hang", usage };
    const { world, instance, sessionId } = await start(t, [
      plan,
      hanging,
      { ...plan, usage: { ...usage, inputTokens: 7 } },
      whole,
    ]);
    const doomed = await addDoomed(world, { flushEventsEveryMs: 10 });
    const request = runSaying(sessionId, "hi", { requestId: "r" });
    const reader = new Reader(doomed.client.trigger(request, asWorkforce(world)));
    await reader.until(hasText("Half"));
    // Acts as if it had died before the first step was stored: it is made again, after it was recorded.
    const document = await hiddenSessions(world).findOne({ _id: sessionId });
    assert.ok(document?.lease);
    const { executionId } = JSON.parse(reader.seen[0]?.json ?? "{}");
    assert.equal(await records(world).countDocuments({ executionId }), 1);
    world.clock.advance(leaseMs);
    // The step in flight was recorded, too, and then its process died.
    const [first] = await records(world).find({ executionId }).toArray();
    assert.ok(first !== undefined);
    await records(world).insertOne({ ...first, _id: `${executionId}:2`, step: 2, pending: true });
    await run(world, instance, { ...request, run: { ...request.run, driverEpoch: 2n } });
    const stored = await records(world).find({ executionId }).sort({ step: 1 }).toArray();
    assert.deepEqual(
      stored.map(({ step, tokens }) => [step, tokens.input]),
      [
        [1, 1_000],
        [2, 1_000],
        [3, 1_000],
      ],
    );
    assert.equal((await sumOf(world, instance)).totalTokens, 3_300);
    assert.equal((await shownUsage(world, instance, sessionId)).tokens.totalTokens, 3_300);
  });

  test("a record that a dead process left out of the sums is counted once, as soon as the sums are read", async (t) => {
    const { world, instance, sessionId } = await start(t, [whole]);
    const other = await world.addInstance({}, { catalog });
    await run(world, instance, runSaying(sessionId, "hi", { requestId: "r" }));
    const [record] = await records(world).find().toArray();
    assert.ok(record !== undefined);
    await records(world).insertMany(
      Array.from({ length: 700 }, (_, index) => ({
        ...record,
        _id: `exe_x:${index}`,
        pending: true as const,
      })),
    );
    const sums = await Promise.all([1, 2, 3, 4].map((n) => sumOf(world, n % 2 ? instance : other)));
    for (const { totalTokens } of sums) assert.equal(totalTokens, 701 * 1_100);
    assert.equal(await records(world).countDocuments({ pending: true }), 0);
    assert.equal((await totals(world).findOne({}))?.tokens, 701 * 1_100);
  });

  test("sessions count for the project as a whole and not for its workforce agents", async (t) => {
    const { world, instance } = await start(t, [whole]);
    const { client } = instance;
    const request = { agentId: "agt_chat", inputJson: '{"MODEL":"local/scripted"}' };
    const { sessionId } = await client.createSession(request, world.as());
    await readAll(client.trigger(say(sessionId, "hi"), world.as()));
    assert.deepEqual(await sumOf(world, instance), { totalFeeUsd: "0", totalTokens: 0 });
    const all = { month: monthOf(world), withSessions: true };
    assert.equal((await client.sumUsage(all, asWorkforce(world))).totalTokens, 1_100n);
  });

  test("the records and totals of an earlier release stay those of its workforce agents", async (t) => {
    const { world, instance, sessionId } = await start(t, [whole]);
    await run(world, instance, runSaying(sessionId, "hi", { requestId: "r" }));
    const [record] = await records(world).find().toArray();
    assert.ok(record !== undefined);
    const { agentId: _, ...earlier } = record;
    const { db } = hiddenSessions(world);
    await db.collection<UsageRecord>("workforce_usage").insertOne({ ...earlier, _id: "exe_before:1" });
    assert.equal((await sumOf(world, instance, workforceAgentId)).totalTokens, 2_200);
    assert.equal((await sumOf(world, instance)).totalTokens, 2_200);
    const account = { _id: `${projectId}:${workforceAgentId}:${monthOf(world)}` };
    const totalsBefore = db.collection<UsageTotals>("workforce_usage_totals");
    assert.equal((await totalsBefore.findOne(account))?.tokens, 1_100);
  });

  test("a report has each call once in every grouping, with those of earlier releases and of other months, to the last digit", async (t) => {
    const { world, instance, sessionId } = await start(t, [whole, whole]);
    const { client } = instance;
    await run(world, instance, runSaying(sessionId, "hi", { requestId: "r", keyId: "key_agent" }));
    const opened = await client.createSession(
      { agentId: "agt_chat", inputJson: '{"MODEL":"local/scripted"}' },
      world.as(),
    );
    await readAll(client.trigger(say(opened.sessionId, "hi"), world.as()));
    const admin = world.as({ permissions: new Set(["admin"]) });
    const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const today = dayOf(world.clock.now());
    const range = { from: dayOf(world.clock.now() - 60 * 86_400_000), to: today };
    const report = (groupBy: string) => client.reportUsage({ ...range, groupBy }, admin);
    await report("day");
    const [record] = await records(world).find({ keyId: "key_agent" }).toArray();
    assert.ok(record !== undefined);
    const at = new Date(world.clock.now() - 50 * 86_400_000);
    const { agentId: _, keyId: __, ...earlier } = record;
    const old = { ...earlier, _id: "exe_before:1", at, month: at.toISOString().slice(0, 7) };
    await hiddenSessions(world).db.collection<UsageRecord>("workforce_usage").insertOne(old);
    const expected = {
      agent: ["agt_chat", workforceAgentId],
      key: ["", "key_agent", "key_test"],
      model: ["local/scripted"],
      day: [dayOf(at.getTime()), today],
    };
    for (const [groupBy, names] of Object.entries(expected)) {
      const { groups, total } = await report(groupBy);
      assert.deepEqual(groups.map(({ name }) => name).sort(), [...names].sort());
      assert.equal(total?.totalFeeUsd, "6.000000000000000003");
      const calls = groups.reduce((sum, group) => sum + group.calls, 0n);
      assert.deepEqual([calls, total.calls, total.inputTokens], [3n, 3n, 3_000n]);
    }
    const { groups: byAgent } = await client.reportUsage({ ...range, groupBy: "agent", dailyTop: 1 }, admin);
    assert.deepEqual(
      byAgent.map(({ days }) => days.map(({ name, calls }) => [name, calls])),
      [
        [
          [dayOf(at.getTime()), 1n],
          [today, 1n],
        ],
        [],
      ],
      "the most expensive agent alone has its days",
    );
    const other = world.as({ projectId: "prj_other", permissions: new Set(["admin"]) });
    assert.equal((await client.reportUsage({ ...range, groupBy: "key" }, other)).total?.calls, 0n);
    const wrong = { from: "2026-02-40", to: "today", groupBy: "colour", dailyTop: 11 };
    const bad = await refusal(client.reportUsage(wrong, admin));
    assert.deepEqual(
      bad.issues.map(({ path }) => path),
      ["from", "to", "groupBy", "dailyTop"],
    );
    assert.equal((await refusal(client.reportUsage(range, world.as()))).reason, Reason.FORBIDDEN);
  });

  test("only the workforce service reads the sums, of a month that exists", async (t) => {
    const { world, instance } = await start(t);
    const admin = world.as({ permissions: new Set(permissions), anyProject: true });
    const { reason } = await refusal(instance.client.sumUsage({ month: "2026-11" }, admin));
    assert.equal(reason, Reason.FORBIDDEN);
    for (const month of ["", "2026-13", "2026", "2026-11-01"]) {
      const bad = await refusal(instance.client.sumUsage({ month }, asWorkforce(world)));
      assert.deepEqual([bad.reason, bad.issues[0]?.path], [Reason.INVALID_REQUEST, "month"]);
    }
  });
});

describe("the limits of a run", () => {
  const endings = [
    {
      title: "dollars of the agent",
      limits: [{ scope: UsageScope.AGENT, monthlyUsd: "2" }],
      code: "SPENDING_LIMIT",
    },
    {
      title: "tokens of the agent",
      limits: [{ scope: UsageScope.AGENT, monthlyTokens: 1_100n }],
      code: "USAGE_LIMIT",
    },
    {
      title: "dollars of the project",
      limits: [{ scope: UsageScope.PROJECT, monthlyUsd: "1.5" }],
      code: "SPENDING_LIMIT",
    },
    {
      title: "the second of two limits",
      limits: [
        { scope: UsageScope.AGENT, monthlyUsd: "100" },
        { scope: UsageScope.PROJECT, monthlyTokens: 5n },
      ],
      code: "USAGE_LIMIT",
    },
  ];
  for (const { title, limits, code } of endings) {
    test(`${title}: the turn ends after the step that reaches it, and its text stays`, async (t) => {
      const { world, instance, sessionId } = await start(t, [plan]);
      const events = await run(world, instance, runSaying(sessionId, "hi", { requestId: "r", limits }));
      const { message, ...error } = events.at(-1);
      assert.match(message, /limit of this month is reached/);
      assert.deepEqual(error, {
        ...{ type: "error", errorType: "quota_exceeded_error", source: "platform", retryable: false, code },
      });
      assert.equal(world.provider.requests.length, 1);
      const { messages } = await readSession(
        instance.client,
        { sessionId, view: View.UI },
        asWorkforce(world),
      );
      assert.match(JSON.stringify(messages), /First a plan/);
    });
  }

  test("a limit of 0 allows no model call, and the message stays", async (t) => {
    const { world, instance, sessionId } = await start(t);
    for (const [index, fields] of [{ monthlyUsd: "0" }, { monthlyTokens: 0n }].entries()) {
      const request = runSaying(sessionId, `hi ${index}`, { requestId: `r${index}`, ...agentLimit(fields) });
      assert.equal((await run(world, instance, request)).at(-1).errorType, "quota_exceeded_error");
    }
    assert.equal(world.provider.requests.length, 0);
    const { messages } = await readSession(instance.client, { sessionId, view: View.UI }, asWorkforce(world));
    assert.match(JSON.stringify(messages), /hi 0.*hi 1/);
  });

  test("once the limit is raised, or another month has begun, the thread continues", async (t) => {
    const { world, instance, sessionId } = await start(t, [plan, whole, whole]);
    const limit = agentLimit({ monthlyUsd: "2" });
    await run(world, instance, runSaying(sessionId, "hi", { requestId: "r0", ...limit }));
    const raised = agentLimit({ monthlyUsd: "2.000001" });
    const events = await run(world, instance, runSaying(sessionId, "go on", { requestId: "r1", ...raised }));
    assert.equal(events.at(-1).finishReason, "stop");
    world.clock.advance(40 * 24 * 3_600_000);
    const later = await run(world, instance, runSaying(sessionId, "go on", { requestId: "r2", ...limit }));
    assert.equal(later.at(-1).finishReason, "stop");
  });

  test("the usage of other agents of the project on other instances counts at the next step", async (t) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { world, instance, sessionId } = await start(t, [
      { parts: [{ text: "Waiting. " }, { until: held }, ...("parts" in plan ? plan.parts : [])], usage },
      whole,
    ]);
    const other = await world.addInstance({ timings: survivorTimings }, { catalog });
    const limits = [{ scope: UsageScope.PROJECT, monthlyTokens: 2_200n }];
    const first = new Reader(
      instance.client.trigger(runSaying(sessionId, "hi", { requestId: "r", limits }), asWorkforce(world)),
    );
    await first.until(hasText("Waiting"));
    const second = await openThread(world, other);
    await run(world, other, runSaying(second, "hi", { requestId: "r", limits }));
    release();
    await first.ended;
    assert.equal(JSON.parse(first.seen.at(-1)?.json ?? "{}").code, "USAGE_LIMIT");
    assert.equal(world.provider.requests.length, 2);
  });

  test("a run that another process continues keeps its limits", async (t) => {
    const half: ScriptedStep = { parts: [{ text: "Half an ans" }], ending: "hang" };
    const { world, instance, sessionId } = await start(t, [plan, half]);
    const doomed = await addDoomed(world, { flushEventsEveryMs: 10 });
    const limits = agentLimit({ monthlyTokens: 1_200n });
    const request = runSaying(sessionId, "hi", { requestId: "r", ...limits });
    await new Reader(doomed.client.trigger(request, asWorkforce(world))).until(hasText("Half"));
    const [record] = await records(world).find().toArray();
    assert.ok(record !== undefined);
    await records(world).insertOne({ ...record, _id: "exe_other:1", pending: true });
    world.clock.advance(leaseMs);
    const events = await run(world, instance, request);
    assert.equal(events.at(-1).code, "USAGE_LIMIT");
    assert.equal(world.provider.requests.length, 2);
  });
});
