import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { ScriptedRequest, ScriptedStep } from "@muster/models/testing";
import { until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { homeFile } from "../support/workforce/home-file.ts";
import { Fleet } from "../support/workforce/processes.ts";
import { randomFrom } from "../support/workforce/random.ts";
import { runs, says, startWorkforceWorld, type WorkforceWorld } from "../support/workforce/world.ts";

/** `npm run test:workforce-fleet` has more of them. */
const faults = Number(process.env.KILLS ?? 3);
const seed = Number(process.env.KILLS_SEED ?? 5);
const dispatches = faults * 10;
const agentCount = Math.max(2, Math.round(dispatches / 25));

const timings = { leaseMs: 1_500, renewEveryMs: 300, pollEveryMs: 150 };
const final = ["completed", "failed", "cancelled", "blocked"];

/** The transitions in the documentation; a run that is taken over announces its status again. */
const legal: Record<string, string[]> = {
  queued: ["queued", "pending", "blocked", "cancelled"],
  pending: ["pending", "running", "failed", "blocked", "cancelled"],
  running: ["running", ...final],
};

/** A model that writes the number of its task into a file. */
function note({ body }: ScriptedRequest): ScriptedStep {
  const messages: Array<{ role: string; content: unknown }> = Array.isArray(body.messages)
    ? body.messages
    : [];
  if (messages.some(({ role }) => role === "tool")) return says("Noted.");
  const task = JSON.stringify(messages.findLast(({ role }) => role === "user")?.content);
  return runs(`echo ${/task (\d+)/.exec(task)?.[1]} >> tasks.txt`);
}

describe(`${dispatches} dispatches to ${agentCount} agents, with ${faults} processes killed or suspended (seed ${seed})`, () => {
  const scope = suiteScope();
  let world: WorkforceWorld;
  let fleet: Fleet;
  let agents: Array<Awaited<ReturnType<WorkforceWorld["hire"]>>>;
  const threads = new Map<string, string[]>();

  beforeAll(async () => {
    world = await startWorkforceWorld(scope, { workforce: { startsRuns: false } });
    world.provider.answerBy(note);
    const env = {
      ...world.env,
      SESSIONS_ADDRESSES: world.env.SESSIONS_ADDRESS,
      TIMINGS: JSON.stringify(timings),
    };
    fleet = new Fleet(
      scope,
      [0, 1, 2].map(() => ({ ...env, ROLE: "workforce" })),
    );
    await fleet.all();
    agents = await Promise.all(Array.from({ length: agentCount }, () => world.hire()));
  });

  const ended = () => world.db.collection("threads").countDocuments({ status: { $in: final } });

  async function fault(random: () => number): Promise<void> {
    const children = await fleet.all();
    const child = children[Math.floor(random() * children.length)];
    assert.ok(child);
    if (random() < 0.5) await fleet.kill(child);
    else {
      child.process.kill("SIGSTOP");
      await delay(timings.leaseMs + 500 + random() * 1_000);
      child.process.kill("SIGCONT");
    }
  }

  const random = randomFrom(seed);
  let dispatched = 0;

  async function dispatch(count: number): Promise<void> {
    for (; count > 0; count -= 1) {
      const agent = agents[dispatched % agents.length];
      assert.ok(agent);
      const threadId = await agent.start(`Do task ${dispatched}`);
      threads.set(agent.agentId, [...(threads.get(agent.agentId) ?? []), threadId]);
      dispatched += 1;
    }
  }

  // One test for each, because a test that takes very long counts as stuck.
  for (let index = 0; index < faults; index += 1) {
    test(`work continues with fault ${index + 1}`, { timeout: 300_000 }, async () => {
      const dispatching = dispatch(10);
      await until("some work is done", async () => (await ended()) >= index * 8, 240_000);
      await delay(random() * 500);
      await Promise.all([fault(random), dispatching]);
    });
  }

  test("every accepted thread ends soon after the last fault", { timeout: 300_000 }, async () => {
    const left = dispatches - (await ended());
    const startedMs = performance.now();
    await until("all threads have ended", async () => (await ended()) === dispatches, 30_000 + left * 3_000);
    console.log(
      `${left} threads were left after the last fault, and took ${Math.round(performance.now() - startedMs)} ms`,
    );
    const failed = await world.db
      .collection("threads")
      .find({ status: { $ne: "completed" } })
      .toArray();
    assert.deepEqual(
      failed.map(({ _id, failureType, failureReason }) => [_id, failureType, failureReason]),
      [],
    );
  });

  test("the tasks of each agent were done once, in the order of acceptance", async () => {
    for (const [index, { agentId }] of agents.entries()) {
      const expected = Array.from({ length: dispatches }, (_, task) => task).filter(
        (task) => task % agents.length === index,
      );
      assert.deepEqual((await homeFile(world, agentId, "tasks.txt")).map(Number), expected);
    }
  });

  test("by the computers' own logs, no two runs of an agent overlap, and no earlier holder follows a later one", async () => {
    for (const { agentId } of agents) {
      let open: { callId: string; epoch: number } | undefined;
      let epoch = 0;
      const log = await world.computerLog(agentId);
      assert.ok(log.filter(({ step }) => step === "start").length >= (threads.get(agentId)?.length ?? 0));
      for (const line of log) {
        assert.ok(line.epoch >= epoch, `epoch ${line.epoch} after ${epoch}`);
        epoch = line.epoch;
        if (line.step === "start") {
          assert.ok(open === undefined || open.epoch < line.epoch, `${line.callId} during ${open?.callId}`);
          open = line;
        } else open = undefined;
      }
    }
  });

  test("no thread made an illegal step", async () => {
    for (const agent of agents) {
      for (const threadId of threads.get(agent.agentId) ?? []) {
        const events = await agent.events(threadId);
        assert.deepEqual(
          events.map(({ sequence }) => sequence),
          events.map((_, at) => at + 1),
        );
        const statuses = events
          .filter(({ type }) => type === "thread-status")
          .map(({ json }): string => JSON.parse(json).status);
        for (const [at, status] of statuses.entries()) {
          if (at > 0) assert.ok(legal[String(statuses[at - 1])]?.includes(status), statuses.join(" "));
        }
        assert.equal(statuses.at(-1), "completed");
      }
    }
  });
});
