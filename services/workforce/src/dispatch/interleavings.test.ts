import assert from "node:assert/strict";
import { anAuditEntry } from "@muster/events/testing";
import { silentLogger } from "@muster/service";
import { defaultFileRules } from "@muster/storage/files";
import fc from "fast-check";
import { test } from "vitest";
import { anAgent } from "../../test/support/documents.ts";
import { MemoryStore, type Step } from "../../test/support/memory-db.ts";
import type { WorkforceContext } from "../context.ts";
import { takeThread } from "../runs/driver/take-thread.ts";
import { ActiveRun } from "../runs/slot/active-run.ts";
import { type AgentDocument, keyOfAgent } from "../store/agent-document.ts";
import { createAgentStore } from "../store/agent-store.ts";
import type { ThreadDocument } from "../store/thread-document.ts";
import { beginTurn, complete } from "../store/thread-moves.ts";
import { createThreadStore } from "../store/thread-store.ts";
import { isFinal, threadTransitions } from "../store/thread-transitions.ts";
import { completeOpenThreads } from "./acceptance.ts";
import { endThread } from "./end-thread.ts";
import { followUp } from "./follow-up.ts";
import { type OwnMessage, ownFollowUp, ownStart } from "./start-request.ts";
import { startThread } from "./start-thread.ts";

// The real functions and stores over a database in memory. fast-check's scheduler decides which process's command is next,
// and prints the seed and the order of a run that fails.

class Died extends Error {}

type Action =
  /** `isOwn`: the platform itself sends it. */
  | { type: "start"; key?: string | undefined; ifIdle?: boolean; isOwn?: boolean }
  | { type: "follow-up"; key?: string | undefined; isOwn?: boolean }
  | { type: "cancel" }
  | { type: "withdraw" }
  | { type: "pause"; paused: boolean }
  /** A process that runs what the agent has to do. */
  | { type: "drive" };

/** It dies at this command, before or after its effect. */
interface Death {
  command: number;
  isBefore: boolean;
}

interface Process {
  action: Action;
  death?: Death | undefined;
}

/** More than any process needs. */
const maxCommands = 400;

const agentKey = keyOfAgent(anAgent());
const now = new Date("2026-11-22T12:00:00Z");
const threadKey = { ...agentKey, threadId: "thr_1" };

/** All documents that have ever been written, checked as they are written. */
class History {
  readonly threads = new Map<string, ThreadDocument>();
  /** Messages whose turn has begun, in order. */
  readonly begun: string[] = [];
  readonly cancelled = new Set<string>();
  agent: AgentDocument | undefined;
  /** For the message of a failure. */
  readonly lines: string[] = [];

  readonly note = (collection: string, before: unknown, after: unknown): void => {
    this.lines.push(collection === "agents" ? lineOfAgent(after as AgentDocument) : lineOfThread(after));
    if (collection === "agents") this.#noteAgent(before as AgentDocument, after as AgentDocument);
    else this.#noteThread(before as ThreadDocument, after as ThreadDocument | undefined);
  };

  #noteAgent(before: AgentDocument | undefined, after: AgentDocument): void {
    this.agent = after;
    assert.equal(new Set(after.queue).size, after.queue.length, "a thread waits twice");
    const isNewRun = after.current !== null && after.current.runId !== before?.current?.runId;
    if (isNewRun && before) assert.equal(before.current, null, "two runs overlap");
  }

  #noteThread(before: ThreadDocument | undefined, after: ThreadDocument | undefined): void {
    if (after === undefined) {
      assert.equal(before?.accepted, false, "an accepted thread was removed");
      this.threads.delete(before?._id ?? "");
      return;
    }
    this.threads.set(after._id, after);
    if (!after.accepted) return;
    if (before?.accepted && before.status !== after.status) {
      assert.ok(
        threadTransitions[before.status].some((next) => next === after.status),
        `${before.status} became ${after.status}`,
      );
    }
    assert.equal(after.completedAt !== null, isFinal(after.status), `${after.status} and completedAt`);
    if (isFinal(after.status)) assert.equal(after.request, null, `${after.status} with a request of its run`);
    if (after.turn > (before?.turn ?? 0)) this.begun.push(after.message?.text ?? "");
    if (after.status === "cancelled") this.cancelled.add(after._id);
  }
}

function lineOfAgent({ queue, current, epoch }: AgentDocument): string {
  return `agent: queue ${queue.join(" ")}, current ${current?.threadId} ${current?.runId}, epoch ${epoch}`;
}

function lineOfThread(after: unknown): string {
  if (after === undefined) return "thread removed";
  const { _id, status, accepted, offer, runId, turn, inbox } = after as ThreadDocument;
  const waiting = inbox.map(({ text }) => text).join(", ");
  const offered = offer === null ? "" : `, offered ${offer.message.text}`;
  return `${_id}: ${status}, accepted ${accepted}, run ${runId}, turn ${turn}, waiting ${waiting}${offered}`;
}

interface Outcome {
  process: Process;
  text: string;
  result: unknown;
}

class World {
  readonly history = new History();
  readonly #store = new MemoryStore(this.history.note);
  readonly #turn: () => Promise<unknown>;
  #ids = 0;

  constructor(turn: () => Promise<unknown>) {
    this.#turn = turn;
  }

  /** The context of one process. */
  context(death?: Death): WorkforceContext {
    let command = -1;
    const step: Step = async (effect) => {
      command += 1;
      assert.ok(command < maxCommands, "a process never ends");
      const dies = command === death?.command;
      await this.#turn();
      if (dies && death.isBefore) throw new Died();
      const value = effect();
      if (dies) throw new Died();
      return value;
    };
    const db = this.#store.connect(step);
    const context = {
      agents: createAgentStore(db),
      threads: createThreadStore(db),
      services: {
        auth: { getProjectLimits: async () => ({ limits: {} }) },
        sessions: { checkModels: async () => ({ problems: [] }) },
      },
      callFor: () => ({}),
      callAsPlatform: () => ({}),
      wakeUps: { agentChanged: () => undefined, threadChanged: () => undefined },
      clock: { now: () => now.getTime() },
      newId: (prefix: string) => `${prefix}_${++this.#ids}`,
      log: silentLogger,
      rules: defaultFileRules,
    };
    // Only the parts that these functions use.
    return context as unknown as WorkforceContext;
  }

  async act({ action, death }: Process, text: string): Promise<unknown> {
    const context = this.context(death);
    switch (action.type) {
      case "start": {
        if (action.isOwn) return await startThread(context, agentKey, ownStart(ownMessage(action, text)));
        const idempotency = action.key === undefined ? {} : { idempotency: { key: action.key, hash: "h" } };
        const command = { text, files: [], config: {}, ifIdle: action.ifIdle ?? false, ...idempotency };
        return await startThread(context, agentKey, command);
      }
      case "follow-up": {
        if (action.isOwn) return await followUp(context, threadKey, ownFollowUp(ownMessage(action, text)));
        const idempotency = action.key === undefined ? {} : { idempotency: { key: action.key, hash: "h" } };
        return await followUp(context, threadKey, { text, files: [], ...idempotency });
      }
      case "cancel":
      case "withdraw":
        return await endThread(context, threadKey, action.type);
      case "pause":
        return await context.agents.update(agentKey, { paused: action.paused }, anAuditEntry());
      case "drive":
        return await drive(context, false);
    }
  }

  /** The steps of the other processes about everything that is left. */
  async recover(): Promise<void> {
    const context = this.context();
    await context.agents.update(agentKey, { paused: false }, anAuditEntry());
    await completeOpenThreads(context, new Date(now.getTime() + 1));
    await drive(context, true);
  }
}

function ownMessage({ key = "" }: { key?: string | undefined }, text: string): OwnMessage {
  return { origin: { kind: "schedule", id: "sch_1" }, occurrence: key, text };
}

/** Claims and runs until nothing waits. `takesOver`: the holder of the slot is dead. */
async function drive(context: WorkforceContext, takesOver: boolean): Promise<void> {
  const lease = { holder: "driver", until: now };
  for (;;) {
    const agent = await context.agents.find(agentKey);
    const [first] = agent?.queue ?? [];
    if (agent === null) return;
    if (agent.current !== null) {
      if (!takesOver) return;
      const taken = await context.agents.takeOver(agentKey, agent, lease, now, "nobody else");
      if (taken !== null) await driveRun(context, new ActiveRun(taken, true));
    } else if (first !== undefined) {
      const claimed = await context.agents.claim(
        agentKey,
        { threadId: first, runId: context.newId("run") },
        lease,
      );
      if (claimed !== null) await driveRun(context, new ActiveRun(claimed, false));
      else if (agent.paused) return;
    } else return;
  }
}

async function driveRun({ agents, threads }: WorkforceContext, run: ActiveRun): Promise<void> {
  let thread = await takeThread({ threads }, run);
  while (thread !== null && run.ownsThread && !isFinal(thread.status)) {
    const [next] = thread.inbox;
    const request = { id: `${run.driver.runId}:${thread.turn + 1}:0`, calls: [] };
    const move =
      next === undefined
        ? complete(run.driver, now)
        : beginTurn(thread, next, run.driver, { request, startedAt: thread.startedAt ?? now });
    thread = (await threads.move(run.threadKey, move)) ?? (await threads.find(run.threadKey));
  }
  await agents.free(run.agentKey, run.driver.epoch, run.driver.runId);
}

const death = fc.option(fc.record({ command: fc.nat(12), isBefore: fc.boolean() }), {
  nil: undefined,
  freq: 3,
});
const alive = fc.constant(undefined);
const key = fc.option(fc.constantFrom("a", "b"), { nil: undefined });
const isOwn = fc.boolean();
const start = fc.record({ type: fc.constant("start" as const), key, ifIdle: fc.boolean(), isOwn });
const followingUp = fc.record({ type: fc.constant("follow-up" as const), key, isOwn });
const cancelling = fc.constant({ type: "cancel" } as const);
const withdrawing = fc.constant({ type: "withdraw" } as const);
const driving = fc.constant({ type: "drive" } as const);
const pausing = fc.record({ type: fc.constant("pause" as const), paused: fc.boolean() });

type AnyAction = fc.Arbitrary<Action>;

const processes = (deaths: fc.Arbitrary<Death | undefined>, ...actions: AnyAction[]) =>
  fc.array(fc.record({ action: fc.oneof(...actions), death: deaths }), { minLength: 2, maxLength: 7 });

/** The first thread exists, has been run by then if `isOver`, and `thr_1` is its id. */
async function check(sent: readonly Process[], isOver: boolean, scheduler: fc.Scheduler): Promise<void> {
  let isQuiet = true;
  const world = new World(() => (isQuiet ? Promise.resolve() : scheduler.schedule(Promise.resolve())));
  const { history } = world;
  const setUp = world.context();
  await setUp.agents.insert(anAgent());
  await world.act({ action: { type: "start" } }, "first");
  if (isOver) await world.act({ action: { type: "drive" } }, "");
  isQuiet = false;
  const outcomes = sent.map(async (process, index): Promise<Outcome> => {
    const text = `message ${index}`;
    const result = await world.act(process, text).catch((error: unknown) => error);
    return { process, text, result };
  });
  await scheduler.waitFor(Promise.all(outcomes));
  const settled = await Promise.all(outcomes);
  isQuiet = true;
  await world.recover();

  assert.deepEqual([history.agent?.queue, history.agent?.current], [[], null]);
  for (const thread of history.threads.values()) {
    assert.ok(thread.accepted && isFinal(thread.status), `${thread._id} is ${thread.status}`);
    assert.deepEqual([thread.offer, thread.openSince, thread.inbox], [null, undefined, []]);
  }
  assert.equal(new Set(history.begun).size, history.begun.length, "a message ran twice");
  for (const outcome of settled) checkOutcome(outcome, history);
  for (const [used, repeats] of Map.groupBy(settled, keyUsed)) {
    const ran = repeats.filter(({ text }) => history.begun.includes(text));
    assert.ok(used === undefined || ran.length <= 1, `${ran.length} requests with the key ${used} have run`);
  }
}

/** The route and the key of a request that has one. */
function keyUsed({ process: { action } }: Outcome): string | undefined {
  if (!("key" in action)) return undefined;
  if (action.isOwn) return `own ${action.type} ${action.key ?? ""}`;
  return action.key === undefined ? undefined : `${action.type} ${action.key}`;
}

function checkOutcome({ process, text, result }: Outcome, history: History): void {
  const { begun, cancelled, threads, lines } = history;
  const { type } = process.action;
  if (type !== "start" && type !== "follow-up") {
    if (type === "cancel" && isThread(result) && result.status === "cancelled")
      assert.ok(cancelled.has("thr_1"));
    return;
  }
  const hasRun = begun.includes(text);
  if (result instanceof Died) return;
  if (result instanceof Error) {
    assert.ok(!hasRun, `${text} was refused and has run: ${result.message}`);
    return;
  }
  assert.ok(typeof result === "object" && result !== null && "thread" in result && "replayed" in result);
  const { thread, replayed } = result;
  assert.ok(isThread(thread) && threads.has(thread._id));
  if (replayed === true) assert.ok(!hasRun, `${text} is a repeat and has run`);
  // Only a cancelled thread drops messages.
  else
    assert.ok(hasRun || cancelled.has(thread._id), `${text} was accepted and is lost:\n${lines.join("\n")}`);
}

function isThread(value: unknown): value is ThreadDocument {
  return typeof value === "object" && value !== null && "status" in value;
}

/** `npm run test:long` runs ten times as many cases. */
const runs = { numRuns: 200 * Number(process.env.LONG_RUN ?? 1) };

const rows: Array<[string, fc.Arbitrary<Process[]>, boolean]> = [
  ["cancel against start", processes(alive, cancelling, driving, withdrawing), false],
  ["cancel against finish", processes(alive, cancelling, driving, followingUp), false],
  ["cancel against follow-up", processes(alive, cancelling, withdrawing, driving, followingUp), true],
  ["starts with keys and ifIdle", processes(alive, start, driving, cancelling), true],
  ["pauses against everything", processes(alive, pausing, start, followingUp, driving), true],
];
for (const [name, arbitrary, isOver] of rows) {
  test(`${name}: no illegal status, no overlap, no message lost or run twice`, async () => {
    const property = fc.asyncProperty(arbitrary, fc.scheduler(), (sent, scheduler) =>
      check(sent, isOver, scheduler),
    );
    await fc.assert(property, runs);
  });
}

test("whichever processes die at whichever command, everything that was accepted ends", async () => {
  const any = processes(death, start, followingUp, cancelling, withdrawing, driving, pausing);
  const property = fc.asyncProperty(any, fc.boolean(), fc.scheduler(), (sent, isOver, scheduler) =>
    check(sent, isOver, scheduler),
  );
  await fc.assert(property, runs);
});
