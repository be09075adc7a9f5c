import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { defaultTimings } from "@muster/workforce/config";
import { describe, test } from "vitest";
import { homeFile } from "../support/workforce/home-file.ts";
import { startChild } from "../support/workforce/processes.ts";
import { type Callers, runs, says, startWorkforceWorld } from "../support/workforce/world.ts";

const isLong = process.env.LONG_RUN !== undefined;

describe("a run changes hands", () => {
  test("a process that stops hands the run over at once; the model's response is not asked for again", async (t) => {
    const gate = Promise.withResolvers<void>();
    const world = await startWorkforceWorld(t, {
      steps: [runs("echo one >> log.txt"), { parts: [{ until: gate.promise }, { text: "Done." }] }],
      // No process takes over because of the time.
      workforce: { timings: { leaseMs: 600_000, pollEveryMs: 600_000 } },
    });
    const lou = await world.hire();
    const threadId = await lou.start("Write");
    await world.provider.received(2);
    const second = await world.addWorkforce();
    await world.first.stop();
    gate.resolve();
    const taken = lou.through(second);
    const thread = await taken.ended(threadId);
    assert.equal(thread.status, "completed", `${thread.failureReason}`);
    assert.ok(thread.messagesJson.includes("Done."));
    const events = await taken.events(threadId);
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, index) => index + 1),
    );
    assert.equal(events.filter(({ type }) => type === "text-delta").length, 1);
    assert.equal(world.provider.requests.length, 2);
    await second.stop();
    assert.deepEqual(await homeFile(world, lou.agentId, "log.txt"), ["one"]);
  });

  test("a command that runs while its process stops is finished there, and its result is not lost", async (t) => {
    const world = await startWorkforceWorld(t, {
      steps: [runs("sleep 1; echo once >> log.txt; cat log.txt"), says("Done.")],
      workforce: { timings: { leaseMs: 600_000, pollEveryMs: 600_000 } },
    });
    const lou = await world.hire();
    const threadId = await lou.start("Write");
    await until("the command runs", async () => (await world.computerLog(lou.agentId)).length > 0);
    const second = await world.addWorkforce();
    await world.first.stop();
    const taken = lou.through(second);
    const thread = await taken.ended(threadId);
    assert.equal(thread.status, "completed", `${thread.failureReason}`);
    assert.ok(thread.messagesJson.includes("once\\n"));
    await second.stop();
    assert.deepEqual(await homeFile(world, lou.agentId, "log.txt"), ["once"]);
    const log = await world.computerLog(lou.agentId);
    assert.equal(log.filter(({ step }) => step === "start").length, 1);
  });

  test("the usual lease and the pause between two polls end within 15 seconds", () => {
    assert.ok(defaultTimings.leaseMs + defaultTimings.pollEveryMs < 15_000);
  });

  /** `npm run test:long` waits for it; `kills.test.ts` has shorter timings. */
  if (isLong) {
    test("with the usual timings, another process takes the run over within 15 seconds of a kill", async (t) => {
      const world = await startWorkforceWorld(t, { workforce: { startsRuns: false } });
      const gate = Promise.withResolvers<void>();
      world.provider.add({ parts: [{ until: gate.promise }, { text: "Done." }] });
      const env = { ...world.env, ROLE: "workforce", SESSIONS_ADDRESSES: world.env.SESSIONS_ADDRESS };
      const child = await startChild(t, env);
      const lou = await world.hire();
      const threadId = await lou.start("Work");
      await world.provider.received(1);
      const others = await world.addWorkforce({ startsRuns: true, timings: { pollEveryMs: 2_000 } });
      child.process.kill("SIGKILL");
      await child.exited;
      const killedMs = performance.now();
      gate.resolve();
      const thread = await lou.through(others).ended(threadId);
      assert.equal(thread.status, "completed");
      assert.ok(performance.now() - killedMs < 15_000, `${performance.now() - killedMs} ms`);
      assert.equal(world.provider.requests.length, 1);
    });
  }

  test("a run whose processes keep dying without progress ends instead of killing more of them", async (t) => {
    const world = await startWorkforceWorld(t, { workforce: { startsRuns: false } });
    const lou = await world.hire();
    const threadId = await lou.start("Work");
    const { agentId } = lou;
    // The state in which its processes would have left it.
    const dead = { holder: "run_dead", until: new Date(0) };
    const current = { threadId, runId: "run_1" };
    await world.db
      .collection<{ _id: string }>("agents")
      .updateOne({ _id: agentId }, { $set: { current, lease: dead, queue: [], epoch: 9 } });
    await world.db
      .collection<{ _id: string }>("threads")
      .updateOne({ _id: threadId }, { $set: { status: "running", runId: "run_1", epoch: 9, takeOvers: 5 } });
    await world.addWorkforce({ startsRuns: true });
    const thread = await lou.ended(threadId);
    assert.deepEqual([thread.status, thread.failureType], ["failed", "transport"]);
  });

  /** `npm run test:long` has 200. */
  const waiting = isLong ? 200 : 40;
  test(`${waiting} agents wait for their models at once in one process`, async (t) => {
    const gate = Promise.withResolvers<void>();
    const world = await startWorkforceWorld(t);
    world.provider.answerBy(() => ({ parts: [{ until: gate.promise }, { text: "Done." }] }));
    const agents: Callers[] = [];
    const threads: string[] = [];
    while (agents.length < waiting) {
      const hired = await Promise.all(Array.from({ length: 10 }, () => world.hire()));
      threads.push(...(await Promise.all(hired.map((agent) => agent.start("Wait")))));
      agents.push(...hired);
    }
    await world.provider.received(waiting);
    gate.resolve();
    for (const [index, agent] of agents.entries()) {
      assert.equal((await agent.ended(String(threads[index]), 120_000)).status, "completed");
    }
  });
});
