import assert from "node:assert/strict";
import { Reason, rpcError } from "@muster/rpc";
import { createSecretBox, ManualClock, Secret, silentLogger } from "@muster/service";
import { defaultFileRules } from "@muster/storage/files";
import fc from "fast-check";
import { test } from "vitest";
import { anAgent } from "../../test/support/documents.ts";
import { MemoryStore, type Step } from "../../test/support/memory-db.ts";
import type { WorkforceContext } from "../context.ts";
import { completeOpenThreads } from "../dispatch/acceptance.ts";
import { keyOfAgent } from "../store/agent-document.ts";
import { createAgentStore } from "../store/agent-store.ts";
import { createHookDeliveryStore } from "../store/hook-delivery-store.ts";
import type { HookDeliveryDocument, HookDocument } from "../store/hook-document.ts";
import { createHookStore } from "../store/hook-store.ts";
import { queueFull } from "../store/refusals.ts";
import type { ThreadDocument } from "../store/thread-document.ts";
import { createThreadStore } from "../store/thread-store.ts";
import { carryOut } from "./carry-out.ts";
import { storeDelivery } from "./store-delivery.ts";

// The real functions and stores over a database in memory. fast-check's scheduler decides which instance's command is next, and
// prints the seed and the order of a run that fails.

class Died extends Error {}

/** An instance that dies at this command, before or after its effect. */
interface Death {
  command: number;
  isBefore: boolean;
}

/** Which of the events arrive at the instance, which then carries out all that are due. */
interface Instance {
  events: number[];
  death: Death | undefined;
}

const agentKey = keyOfAgent(anAgent());
const minuteMs = 60_000;

class World {
  readonly clock = new ManualClock(Date.parse("2026-11-22T12:00:00Z"));
  readonly threads = new Map<string, ThreadDocument>();
  readonly deliveries = new Map<string, HookDeliveryDocument>();
  readonly hook: HookDocument;
  readonly #leaseMs: number;
  readonly #turn: () => Promise<unknown>;
  #ids = 0;

  readonly #store = new MemoryStore((collection, before, after) => {
    if (collection === "threads") {
      const { _id } = (after ?? before) as unknown as ThreadDocument;
      if (after === undefined) this.threads.delete(_id);
      else this.threads.set(_id, after as unknown as ThreadDocument);
    }
    if (collection === "hook_deliveries") {
      const delivery = after as unknown as HookDeliveryDocument;
      const was = (before as unknown as HookDeliveryDocument | undefined)?.status ?? "accepted";
      assert.ok(was === "accepted" || was === delivery.status, `${was} became ${delivery.status}`);
      this.deliveries.set(delivery._id, delivery);
    }
  });

  constructor(threadKey: string | undefined, leaseMs: number, turn: () => Promise<unknown>) {
    const createdAt = new Date(this.clock.now());
    this.hook = {
      ...{ _id: "hok_1", ...agentKey, slug: "a", name: "A", verifyType: "github", secrets: [] },
      ...{ message: "event {{N}}", config: {}, enabled: true, createdAt, updatedAt: createdAt },
      ...(threadKey !== undefined && { threadKey }),
    };
    this.#leaseMs = leaseMs;
    this.#turn = turn;
  }

  context(death?: Death): WorkforceContext {
    let command = -1;
    const step: Step = async (effect) => {
      command += 1;
      const dies = command === death?.command;
      await this.#turn();
      if (dies && death.isBefore) throw new Died();
      const value = effect();
      if (dies) throw new Died();
      return value;
    };
    const db = this.#store.connect(step);
    const context = {
      ...{ agents: createAgentStore(db), threads: createThreadStore(db) },
      ...{ hooks: createHookStore(db), hookDeliveries: createHookDeliveryStore(db) },
      hookArrivals: { onArrival: () => undefined },
      secretBox: createSecretBox([new Secret("ab".repeat(32))]),
      services: {
        auth: { getProjectLimits: async () => ({ limits: {} }) },
        sessions: { checkModels: async () => ({ problems: [] }) },
      },
      ...{ callFor: () => ({}), callAsPlatform: () => ({}) },
      wakeUps: { agentChanged: () => undefined, threadChanged: () => undefined },
      ...{ clock: this.clock, log: silentLogger, rules: defaultFileRules },
      newId: (prefix: string) => `${prefix}_${++this.#ids}`,
      instance: `instance ${++this.#ids}`,
      timings: { leaseMs: this.#leaseMs },
    };
    // Only the parts that these functions use.
    return context as unknown as WorkforceContext;
  }

  /** Stores the events, then carries out whatever is due and not under a lease. Returns how many that were. */
  async run(context: WorkforceContext, events: readonly number[] = []): Promise<number> {
    for (const n of events)
      await storeDelivery(context, this.hook, { identity: `event ${n}`, body: JSON.stringify({ n }) });
    const nothing = { ids: [], projectIds: [] };
    const due = await context.hookDeliveries.findDue(new Date(this.clock.now()), nothing, 100);
    await Promise.all(due.map((delivery) => carryOut(context, delivery)));
    return due.length;
  }
}

async function check(
  instances: readonly Instance[],
  { threadKey, leaseMs }: { threadKey: string | undefined; leaseMs: number },
  scheduler: fc.Scheduler,
): Promise<void> {
  let isQuiet = true;
  const world = new World(threadKey, leaseMs, () =>
    isQuiet ? Promise.resolve() : scheduler.schedule(Promise.resolve()),
  );
  const living = world.context();
  await living.agents.insert(anAgent());
  await living.hooks.insert(world.hook);
  isQuiet = false;
  const running = instances.map(({ events, death }) =>
    world.run(world.context(death), events).catch((error: unknown) => {
      if (!(error instanceof Died)) throw error;
    }),
  );
  await scheduler.waitFor(Promise.all(running));
  isQuiet = true;
  for (let rounds = 0; rounds < 10; rounds++) {
    world.clock.advance(minuteMs);
    await completeOpenThreads(living, new Date(world.clock.now()));
    await world.run(living);
  }
  const threads = [...world.threads.values()];
  const sent = threads.flatMap(({ _id, inbox }) => inbox.map(({ text }) => ({ text, threadId: _id })));
  const deliveries = [...world.deliveries.values()];
  const byMessage = (a: { text: string }, b: { text: string }) => a.text.localeCompare(b.text);
  const expected = deliveries.map(({ body, threadId = "none" }) => {
    return { text: `event ${JSON.parse(body).n}`, threadId };
  });
  assert.ok(deliveries.every(({ status, dueAt }) => status === "dispatched" && dueAt === undefined));
  assert.equal(new Set(deliveries.map(({ identity }) => identity)).size, deliveries.length);
  assert.deepEqual(sent.sort(byMessage), expected.sort(byMessage));
  if (threadKey !== undefined) assert.ok(threads.length <= 1, "a thread key has two threads");
}

const death = fc.option(fc.record({ command: fc.nat(25), isBefore: fc.boolean() }), {
  nil: undefined,
  freq: 3,
});
const instance = fc.record({ events: fc.array(fc.nat(2), { maxLength: 3 }), death });
const numRuns = 60 * Number(process.env.LONG_RUN ?? 1);

test("each event that was stored becomes exactly one message, whichever instances die at whichever command, also if two carry it out at the same time", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(instance, { minLength: 2, maxLength: 4 }),
      fc.record({
        threadKey: fc.constantFrom(undefined, "same"),
        // Without a lease, several instances carry out one delivery.
        leaseMs: fc.constantFrom(0, 10_000),
      }),
      fc.scheduler(),
      check,
    ),
    { numRuns },
  );
});

test("an event waits out an outage of any length, and no longer than an hour for its agent", async () => {
  for (const [refuse, status] of [
    [() => rpcError(Reason.UNAVAILABLE, "It does not respond."), "accepted"],
    [queueFull, "failed"],
  ] as const) {
    const world = new World(undefined, minuteMs, () => Promise.resolve());
    const context = world.context();
    await context.agents.insert(anAgent());
    await context.hooks.insert(world.hook);
    Object.assign(context.services.auth, { getProjectLimits: () => Promise.reject(refuse()) });
    await world.run(context, [1]);
    // Nothing runs meanwhile.
    world.clock.advance(59 * minuteMs);
    await world.run(context);
    const [waiting] = world.deliveries.values();
    assert.equal(waiting?.status, "accepted");
    world.clock.advance(90 * minuteMs);
    await world.run(context);
    const [later] = world.deliveries.values();
    assert.equal(later?.status, status);
  }
});
