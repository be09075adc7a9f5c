import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { ScriptedRequest, ScriptedStep } from "@muster/models/testing";
import { freePort, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { homeFile } from "../support/workforce/home-file.ts";
import { type Child, Fleet } from "../support/workforce/processes.ts";
import { randomFrom } from "../support/workforce/random.ts";
import {
  type Callers,
  runs,
  says,
  startWorkforceWorld,
  type WorkforceWorld,
} from "../support/workforce/world.ts";

/** `npm run test:workforce-kills` runs more of them. */
const kills = Number(process.env.KILLS ?? 1);
const seed = Number(process.env.KILLS_SEED ?? 12);
const lines = 3;

const timings = { leaseMs: 1_500, renewEveryMs: 300, pollEveryMs: 150 };

/** A model that appends numbered lines, one call after the other, whatever the results were. */
function append({ body }: ScriptedRequest): ScriptedStep {
  const messages: Array<{ role: string }> = Array.isArray(body.messages) ? body.messages : [];
  const done = messages.filter(({ role }) => role === "tool").length;
  return done < lines ? runs(`echo line ${done} >> log.txt`) : says("All lines are written.");
}

interface Plan {
  /** The process that is hit. */
  target: "workforce" | "sessions";
  how: "kill" | "suspend";
  /** Each call waits until it is approved. */
  asks: boolean;
  /** After so many requests to the model. */
  requests: number;
  jitterMs: number;
}

function planOf(index: number): Plan {
  const random = randomFrom(seed * 1_000 + index);
  const target = index % 4 === 2 ? "sessions" : "workforce";
  return {
    target,
    how: target === "workforce" && index % 4 === 1 ? "suspend" : "kill",
    asks: index % 3 === 1,
    requests: Math.floor(random() * (lines + 1)),
    jitterMs: Math.floor(random() * 60),
  };
}

const plans = Array.from({ length: kills }, (_, index) => planOf(index));

describe(`processes that are killed at ${kills} points of runs (seed ${seed})`, () => {
  const scope = suiteScope();
  let world: WorkforceWorld;
  let workforce: Fleet;
  let sessions: Fleet;
  const seen = { unknown: 0 };

  beforeAll(async () => {
    world = await startWorkforceWorld(scope, { workforce: { startsRuns: false } });
    world.provider.answerBy(append);
    // Without a plan to kill them, the one in this process is enough.
    const ports = plans.some(({ target }) => target === "sessions")
      ? [await freePort(), await freePort()]
      : [];
    const env = { ...world.env, LOCAL_BASE_URL: world.provider.baseUrl, TIMINGS: JSON.stringify(timings) };
    sessions = new Fleet(
      scope,
      ports.map((port) => ({ ...env, ROLE: "sessions", PORT: String(port) })),
    );
    await sessions.all();
    const addresses = ports.map((port) => `127.0.0.1:${port}`);
    const SESSIONS_ADDRESSES = addresses.join(",") || world.env.SESSIONS_ADDRESS;
    workforce = new Fleet(
      scope,
      [0, 1].map(() => ({ ...env, ROLE: "workforce", SESSIONS_ADDRESSES })),
    );
    await workforce.all();
  });

  async function holderOf(agentId: string): Promise<Child> {
    let found: Child | undefined;
    await until("a process holds the agent", async () => {
      const agent = await world.db
        .collection<{ _id: string; lease: { holder: string } | null }>("agents")
        .findOne({ _id: agentId });
      found = (await workforce.all()).find(({ holder }) => holder === agent?.lease?.holder);
      return found !== undefined;
    });
    assert.ok(found);
    return found;
  }

  async function hit({ target, how }: Plan, agentId: string): Promise<() => void> {
    if (target === "sessions") {
      const [first] = await sessions.all();
      assert.ok(first);
      await sessions.kill(first);
      return () => undefined;
    }
    const holder = await holderOf(agentId);
    if (how === "kill") {
      await workforce.kill(holder);
      return () => undefined;
    }
    holder.process.kill("SIGSTOP");
    return () => holder.process.kill("SIGCONT");
  }

  /** Approves every call of the thread, until it has ended. Repeats what a process that dies may have lost. */
  async function approveAll({ agentId, ended }: Callers, threadId: string): Promise<void> {
    let isOver = false;
    const end = ended(threadId, 60_000).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const request = { agentId, threadId, status: "pending" };
      const found = await world.sessions.listApprovals(request, world.asApprover());
      for (const { id } of found.approvals)
        await world.sessions.decideApproval({ id, decision: "approve" }, world.asApprover());
      await delay(50);
    }
    await end;
  }

  for (const [index, plan] of plans.entries()) {
    const title = `${plan.how} ${index + 1}, of ${plan.target}${plan.asks ? " that asks" : ""}, ${plan.jitterMs} ms after request ${plan.requests}`;
    test(`${title}: the thread ends, and each line is there once`, { timeout: 120_000 }, async () => {
      const lou = await world.hire();
      const { agentId } = lou;
      const rules = { shell: "ask" };
      if (plan.asks) await world.first.client.updateAgent({ agentId, approvals: { rules } }, world.as());
      const before = world.provider.requests.length;
      const threadId = await lou.start("Write");
      const approving = plan.asks ? approveAll(lou, threadId) : Promise.resolve();
      await world.provider.received(before + plan.requests);
      await delay(plan.jitterMs);
      const isOver = async () => (await lou.read(threadId)).status === "completed";
      const wakeUp = (await isOver()) ? () => undefined : await hit(plan, lou.agentId);
      const thread = await lou.ended(threadId, 60_000);
      wakeUp();
      await approving;
      assert.equal(thread.status, "completed", `${thread.failureType}: ${thread.failureReason}`);
      assert.ok(thread.messagesJson.includes("All lines are written."));
      // A process that wakes up now must not add anything.
      if (plan.how === "suspend") await delay(500);
      const found = await homeFile(world, lou.agentId, "log.txt");
      const unknown = thread.messagesJson.split("outcome of this call is unknown").length - 1;
      seen.unknown += unknown;
      assert.equal(new Set(found).size, found.length, `a line was repeated: ${found}`);
      assert.ok(found.length >= lines - unknown && found.length <= lines, `${found}; ${unknown} unknown`);
      const events = await lou.events(threadId);
      assert.deepEqual(
        events.map(({ sequence }) => sequence),
        events.map((_, at) => at + 1),
      );
    });
  }
});
