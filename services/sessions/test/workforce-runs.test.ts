import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { View } from "@muster/proto/sessions";
import { Reason } from "@muster/rpc";
import { describe, type TestContext, test } from "vitest";
import {
  addDoomed,
  hasText,
  leaseMs,
  Reader,
  startAdoptionWorld,
  survivorTimings,
  typesIn,
} from "./support/adoption-harness.ts";
import { chat } from "./support/definitions.ts";
import {
  type Instance,
  readAll,
  readSession,
  refusal,
  result,
  say,
  textOf,
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
} from "./support/workforce.ts";

const half: ScriptedStep = { parts: [{ text: "Half an ans" }], ending: "hang" };
const command: ScriptedStep = {
  parts: [
    { text: "Let me look. " },
    { toolCall: { id: "call_1", name: "shell__run_command", arguments: { command: "ls" } } },
  ],
};
const whole: ScriptedStep = { parts: [{ text: "Whole." }] };

/** All events of a short turn are in its session. */
const rarely = { ...survivorTimings, flushEventsEveryMs: 3_600_000 };

async function start(t: TestContext, steps: ScriptedStep[] = [], timings = survivorTimings) {
  const world = await startAdoptionWorld(t, steps);
  const instance = await world.addInstance({ timings });
  const sessionId = await openThread(world, instance);
  return { world, instance, sessionId };
}

const trigger = (world: World, { client }: Instance, request: object) =>
  new Reader(client.trigger(request, asWorkforce(world)));

/** The events of a call, read to its end. */
async function read(world: World, instance: Instance, request: object) {
  const reader = trigger(world, instance, request);
  const error = await reader.ended;
  if (error !== undefined) throw error;
  return reader.seen;
}

const textIn = (seen: ReadonlyArray<{ json: string }>) => textOf(seen.map(({ json }) => JSON.parse(json)));

describe("a call of the workforce service", () => {
  test("it needs `run`, and no other session accepts one", async (t) => {
    const { world, instance, sessionId } = await start(t);
    const { client } = instance;
    const missing = await refusal(readAll(client.trigger(say(sessionId, "hi"), asWorkforce(world))));
    assert.deepEqual([missing.reason, missing.issues[0]?.path], [Reason.INVALID_REQUEST, "run"]);
    const ours = await client.createSession({ agentId: "agt_chat" }, world.as());
    for (const id of [ours.sessionId, sessionId]) {
      const request = runSaying(id, "hi", { requestId: "r" });
      const { reason } = await refusal(readAll(client.trigger(request, world.as())));
      assert.equal(reason, Reason.FORBIDDEN);
    }
  });

  const bad: Array<[string, RunFields, string]> = [
    ["an empty request id", { requestId: "" }, "run.requestId"],
    ["a long request id", { requestId: "x".repeat(129) }, "run.requestId"],
    ["an unknown thinking level", { requestId: "r", thinking: "hard" }, "run.thinking"],
    ["an empty model", { requestId: "r", model: "" }, "run.model"],
    ["an endless epoch", { requestId: "r", driverEpoch: 2n ** 60n }, "run.driverEpoch"],
    [
      "a limit that is not a number",
      { requestId: "r", limits: [{ scope: 1, monthlyUsd: "-1" }] },
      "run.limits.0.monthlyUsd",
    ],
    ["a scope twice", { requestId: "r", limits: [{ scope: 1 }, { scope: 1 }] }, "run.limits.1.scope"],
    [
      "a rule of approval that allows",
      { requestId: "r", approvals: { refund: "allow" } },
      "run.approvals.refund",
    ],
    ["no scope", { requestId: "r", limits: [{ scope: 0 }] }, "run.limits.0.scope"],
  ];
  for (const [title, run, path] of bad) {
    test(`${title} is refused, and the call can be sent again`, async (t) => {
      const { world, instance, sessionId } = await start(t, [whole]);
      const refused = await refusal(read(world, instance, runSaying(sessionId, "hi", run)));
      assert.deepEqual(
        [refused.reason, refused.issues.map((issue) => issue.path)],
        [Reason.INVALID_REQUEST, [path]],
      );
      assert.equal(
        textIn(await read(world, instance, runSaying(sessionId, "hi", { requestId: "r" }))),
        "Whole.",
      );
    });
  }

  test("a refused call changes nothing: the previous one is still the latest, and the same id can begin later", async (t) => {
    const { world, instance, sessionId } = await start(t, [whole, { parts: [{ text: "Second." }] }]);
    const first = await read(world, instance, runSaying(sessionId, "hi", { requestId: "first" }));
    const second: RunFields = { requestId: "second", capabilities: { nothing: true } };
    const refused = await refusal(read(world, instance, runSaying(sessionId, "hi", second)));
    assert.equal(refused.reason, Reason.CAPABILITY_NOT_DECLARED);
    assert.deepEqual(refused.issues[0]?.path, "run.capabilities.nothing");
    const model: RunFields = { requestId: "second", model: "nowhere/model" };
    const unrunnable = await refusal(read(world, instance, runSaying(sessionId, "hi", model)));
    assert.equal(unrunnable.reason, Reason.MODEL_NOT_RUNNABLE);
    const results = await refusal(
      read(world, instance, runResults(sessionId, [result("call_9", 1)], { requestId: "second" })),
    );
    assert.equal(results.reason, Reason.UNKNOWN_TOOL_CALL);
    assert.deepEqual(await read(world, instance, runSaying(sessionId, "hi", { requestId: "first" })), first);
    const begun = await read(world, instance, runSaying(sessionId, "hi", { requestId: "second" }));
    assert.equal(textIn(begun), "Second.");
  });
});

describe("a repeated call", () => {
  test("it replays what has ended after its cursor, and calls no model", async (t) => {
    const { world, instance, sessionId } = await start(t, [whole]);
    const other = await world.addInstance({ timings: survivorTimings });
    const request = runSaying(sessionId, "hi", { requestId: "r" });
    const first = await read(world, instance, request);
    for (const reader of [instance, other]) {
      assert.deepEqual(await read(world, reader, request), first);
      const after = runSaying(sessionId, "hi", { requestId: "r", afterSequence: 3 });
      assert.deepEqual(await read(world, reader, after), first.slice(3));
    }
    assert.equal(world.provider.requests.length, 1);
  });

  test("of many calls with one id at once, on two instances, one begins, and all have the same events", async (t) => {
    // On a busy machine, the first call may need long to store its execution, for which the others wait.
    const timings = { ...survivorTimings, busyWaitMs: 60_000 };
    const { world, instance, sessionId } = await start(t, [whole], timings);
    const other = await world.addInstance({ timings });
    const request = runSaying(sessionId, "hi", { requestId: "r" });
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) => read(world, index % 2 ? instance : other, request)),
    );
    for (const seen of all) assert.deepEqual(seen, all[0]);
    assert.equal(world.provider.requests.length, 1);
  });

  test("it follows a run that is under way on another instance", async (t) => {
    const { world, instance, sessionId } = await start(t, [half]);
    const other = await world.addInstance({ timings: survivorTimings });
    const request = runSaying(sessionId, "hi", { requestId: "r" });
    const first = await trigger(world, instance, request).until(hasText("Half"));
    const second = await trigger(world, other, request).until(hasText("Half"));
    await instance.client.cancelExecution({ sessionId }, asWorkforce(world));
    await Promise.all([first.ended, second.ended]);
    assert.deepEqual(second.seen, first.seen);
  });

  for (const flushEventsEveryMs of [10, 3_600_000]) {
    test(`it continues a run whose process died${flushEventsEveryMs > 1_000 ? " before anything was stored" : ""}, with the settings of the run`, async (t) => {
      const { world, instance, sessionId } = await start(t, [half, whole]);
      const doomed = await addDoomed(world, { flushEventsEveryMs });
      const settings = { model: "local/other", thinking: "low" };
      const request = runSaying(
        sessionId,
        "hi",
        { requestId: "r", ...settings },
        { dynamicTools: computerTools },
      );
      await trigger(world, doomed, request).until(hasText("Half"));
      world.clock.advance(leaseMs);
      const later = runSaying(sessionId, "hi", { requestId: "r", driverEpoch: 2n, ...settings });
      const seen = await read(world, instance, later);
      assert.equal(textIn(seen.slice(seen.findIndex(({ json }) => json.includes("step-discard")))), "Whole.");
      const { requests } = world.provider;
      assert.equal(requests.length, 2);
      assert.deepEqual(requests[1]?.body, requests[0]?.body);
      assert.equal(requests[1]?.body.model, "other");
      const stale = await refusal(read(world, instance, request));
      assert.equal(stale.reason, Reason.STALE_DRIVER);
    });
  }

  test("when its service stops, the run is handed over: the stream breaks, and a repeat continues it at once elsewhere", async (t) => {
    const { world, instance, sessionId } = await start(t, [half, whole]);
    const stopping = await world.addInstance({ timings: { ...survivorTimings, drainMs: 10 } });
    const request = runSaying(sessionId, "hi", { requestId: "r" });
    const first = await trigger(world, stopping, request).until(hasText("Half"));
    await stopping.stop();
    assert.match(String(await first.ended), /send the same call again|unavailable/i);
    assert.ok(first.seen.every(({ json }) => !["error", "finish"].includes(JSON.parse(json).type)));
    const afterSequence = first.seen.at(-1)?.sequence ?? 0;
    const seen = await read(world, instance, runSaying(sessionId, "hi", { requestId: "r", afterSequence }));
    assert.equal(textIn(seen), "Whole.");
    assert.deepEqual(typesIn(seen).slice(-2), ["persisted", "finish"]);
    assert.equal(world.provider.requests.length, 2);
  });

  test("a process that has lost its run while it was suspended ends its stream without an end of the run", async (t) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: ScriptedStep = { parts: [{ text: "Half an ans" }, { until: held }, { text: "wer." }] };
    const { world, instance, sessionId } = await start(t, [slow, whole]);
    const doomed = await addDoomed(world, { flushEventsEveryMs: 10 });
    const request = runSaying(sessionId, "hi", { requestId: "r" });
    const first = await trigger(world, doomed, request).until(hasText("Half"));
    world.clock.advance(leaseMs);
    const adopted = await read(world, instance, request);
    assert.match(textIn(adopted), /Whole\.$/);
    release();
    assert.match(String(await first.ended), /send the same call again/);
    assert.ok(first.seen.every(({ json }) => !["error", "finish"].includes(JSON.parse(json).type)));
  });

  test("a continuation is a call of its own: a repeat replays its events and not those before the pause", async (t) => {
    const { world, instance, sessionId } = await start(t, [command, whole]);
    const asked = runSaying(sessionId, "hi", { requestId: "r0" }, { dynamicTools: computerTools });
    const first = await read(world, instance, asked);
    assert.deepEqual(typesIn(first).slice(-2), ["tool-request", "finish"]);
    const answered = runResults(sessionId, [result("call_1", { stdout: "a.log" })], { requestId: "r1" });
    const second = await read(world, instance, answered);
    assert.equal(textIn(second), "Whole.");
    assert.deepEqual(await read(world, instance, answered), second);
    assert.equal(world.provider.requests.length, 2);
  });

  test("without its events it is refused with EVENTS_GONE, and runs nothing", async (t) => {
    const { world, instance, sessionId } = await start(t, [whole], rarely);
    const request = runSaying(sessionId, "hi", { requestId: "r" });
    await read(world, instance, request);
    await hiddenSessions(world).updateOne({ _id: sessionId }, { $unset: { pendingEvents: "" } });
    world.clock.advance(3_600_000);
    const other = await world.addInstance({ timings: survivorTimings });
    assert.equal((await refusal(read(world, other, request))).reason, Reason.EVENTS_GONE);
    assert.equal(world.provider.requests.length, 1);
  });

  test("the events of an earlier call of the same execution are never taken for its own", async (t) => {
    const { world, instance, sessionId } = await start(t, [command, whole], rarely);
    await read(
      world,
      instance,
      runSaying(sessionId, "hi", { requestId: "r0" }, { dynamicTools: computerTools }),
    );
    const answered = runResults(sessionId, [result("call_1", 1)], { requestId: "r1" });
    await read(world, instance, answered);
    const events = hiddenSessions(world).db.collection<{ _id: string; isLast: boolean }>("execution_events");
    assert.equal(await events.countDocuments({ isLast: true }), 1, "of the earlier call");
    await hiddenSessions(world).updateOne({ _id: sessionId }, { $unset: { pendingEvents: "" } });
    const other = await world.addInstance({ timings: survivorTimings });
    assert.equal((await refusal(read(world, other, answered))).reason, Reason.EVENTS_GONE);
  });
});

describe("the number of a driver", () => {
  test("a lower one than the session has seen is refused and changes nothing", async (t) => {
    const { world, instance, sessionId } = await start(t, [whole]);
    await read(world, instance, runSaying(sessionId, "hi", { requestId: "r", driverEpoch: 5n }));
    const before = await hiddenSessions(world).findOne({ _id: sessionId });
    for (const requestId of ["r", "other"]) {
      const { reason } = await refusal(
        read(world, instance, runSaying(sessionId, "hi", { requestId, driverEpoch: 4n })),
      );
      assert.equal(reason, Reason.STALE_DRIVER);
    }
    assert.deepEqual(await hiddenSessions(world).findOne({ _id: sessionId }), before);
  });

  for (const where of ["the same instance", "another instance"]) {
    test(`a later driver with another call ends the execution of an earlier one on ${where}`, async (t) => {
      const { world, instance, sessionId } = await start(t, [half, whole]);
      const other = await world.addInstance({ timings: survivorTimings });
      const first = await trigger(world, instance, runSaying(sessionId, "hi", { requestId: "r0" })).until(
        hasText("Half"),
      );
      const target = where === "the same instance" ? instance : other;
      const next = runSaying(sessionId, "go on", { requestId: "r1", driverEpoch: 2n });
      assert.equal(textIn(await read(world, target, next)), "Whole.");
      await first.ended;
      const late = await refusal(read(world, instance, runSaying(sessionId, "late", { requestId: "r2" })));
      assert.equal(late.reason, Reason.STALE_DRIVER);
      assert.equal(world.provider.requests.length, 2);
    });
  }

  test("another call of the same driver waits for its first one, and is refused if that does not end", async (t) => {
    const { world, instance, sessionId } = await start(t, [half]);
    const first = await trigger(world, instance, runSaying(sessionId, "hi", { requestId: "r0" })).until(
      hasText("Half"),
    );
    const { reason } = await refusal(read(world, instance, runSaying(sessionId, "hi", { requestId: "r1" })));
    assert.equal(reason, Reason.SESSION_BUSY);
    await instance.client.cancelExecution({ sessionId }, asWorkforce(world));
    await first.ended;
  });
});

describe("the settings of a run", () => {
  test("its model, backup model, thinking and capabilities apply to the turn and its continuations, and the next turn is as defined", async (t) => {
    const {
      world,
      instance,
      sessionId: _,
    } = await start(t, [command, { status: 500 }, whole, { parts: [{ text: "Plain." }] }]);
    const capabilities = `capabilities:
  mail: { description: Sends mails, default: true, tools: [send-mail] }
  orders: { description: Looks orders up, default: false, tools: [get-order] }
`;
    world.agents.set("agt_chat", [chat, { ...chat, protocol: capabilities + chat.protocol }]);
    const sessionId = await openThread(world, instance, { agentVersion: 2 });
    const fields: RunFields = {
      requestId: "r0",
      model: "local/first",
      backupModel: "local/second",
      thinking: "high",
      capabilities: { mail: false, orders: true },
    };
    await read(world, instance, runSaying(sessionId, "hi", fields, { dynamicTools: computerTools }));
    await read(world, instance, runResults(sessionId, [result("call_1", "out")], { requestId: "r1" }));
    await read(world, instance, runSaying(sessionId, "again", { requestId: "r2" }));
    const sent = world.provider.requests.map(({ body }) => ({
      model: body.model,
      tools: JSON.parse(JSON.stringify(body.tools)).map(
        (tool: { function: { name: string } }) => tool.function.name,
      ),
    }));
    const tools = ["get-order", "shell__run_command", "files__read"];
    assert.deepEqual(sent, [
      { model: "first", tools },
      { model: "first", tools },
      { model: "second", tools },
      { model: "scripted", tools: ["send-mail"] },
    ]);
  });

  test("the output of the computer is shown live and on re-read", async (t) => {
    const { world, instance, sessionId } = await start(t, [command, whole]);
    const live = await read(
      world,
      instance,
      runSaying(sessionId, "hi", { requestId: "r0" }, { dynamicTools: computerTools }),
    );
    assert.ok(live.some(({ json }) => JSON.parse(json).type === "tool-input-delta"));
    const output = { stdout: "a.log", exitCode: 0 };
    await read(world, instance, runResults(sessionId, [result("call_1", output)], { requestId: "r1" }));
    const { messages, session } = await readSession(
      instance.client,
      { sessionId, view: View.UI },
      asWorkforce(world),
    );
    const part = messages.flatMap(({ parts }) => parts).find(({ type }) => type === "tool-call");
    assert.deepEqual([part?.toolName, part?.result], ["shell__run_command", output]);
    // The tool's description addresses the model.
    assert.equal(part?.displayName, "shell__run_command");
    assert.ok(JSON.parse(session?.usageJson ?? "").models["local/scripted"] !== undefined);
  });
});
