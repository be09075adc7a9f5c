import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { FairQueue, type FairQueueLimits, QueueFullError } from "./fair-queue.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

interface Task {
  owner: string;
  member: string;
  size: number;
  state: "waiting" | "running" | "ended" | "refused" | "aborted";
  abort: AbortController;
  /** Ends it once it runs. */
  end(): void;
}

/** A queue whose tasks run until the test ends them, and the events that befell them, in order. */
function openQueue(limits: FairQueueLimits) {
  const queue = new FairQueue(limits);
  const tasks: Task[] = [];
  const events: { kind: "added" | "started"; task: Task }[] = [];
  const add = (owner: string, { member = "", size = 1 } = {}): Task => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const task: Task = { owner, member, size, state: "waiting", abort: new AbortController(), end };
    tasks.push(task);
    events.push({ kind: "added", task });
    const run = async () => {
      task.state = "running";
      events.push({ kind: "started", task });
      await promise;
    };
    queue.run(owner, run, { member, size, signal: task.abort.signal }).then(
      () => {
        task.state = "ended";
      },
      (error: unknown) => {
        task.state = error instanceof QueueFullError ? "refused" : "aborted";
      },
    );
    return task;
  };
  const inState = (state: Task["state"]) => tasks.filter((task) => task.state === state);
  const endOneByOne = async () => {
    for (let [first] = inState("running"); first !== undefined; [first] = inState("running")) {
      first.end();
      await turn();
    }
  };
  return { queue, tasks, events, add, inState, endOneByOne };
}

type Step = { add: { owner: string; member: string; size: number } } | { end: number } | { abort: number };

const upTo = (max: number) => fc.integer({ min: 1, max });
const stepsOf = (size: fc.Arbitrary<number>): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          add: fc.record({ owner: fc.constantFrom(..."abcd"), member: fc.constantFrom(..."xyz"), size }),
        }),
      },
      { weight: 3, arbitrary: fc.record({ end: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ abort: fc.nat() }) },
    ),
    { maxLength: 60 },
  );

async function play(
  opened: ReturnType<typeof openQueue>,
  steps: readonly Step[],
  check = () => {},
): Promise<void> {
  const pick = (tasks: Task[], index: number) => tasks[index % Math.max(1, tasks.length)];
  for (const step of steps) {
    if ("add" in step) opened.add(step.add.owner, step.add);
    else if ("end" in step) pick(opened.inState("running"), step.end)?.end();
    else pick(opened.inState("waiting"), step.abort)?.abort.abort(new Error("gone"));
    await turn();
    check();
  }
  await opened.endOneByOne();
}

/** How many tasks of one other started at most while this one waited, counted from its last own start on. */
function mostPassed(
  { events }: ReturnType<typeof openQueue>,
  task: Task,
  isOwn: (other: Task) => boolean,
  nameOf: (other: Task) => string | undefined,
): number {
  const startedAt = events.findIndex((event) => event.kind === "started" && event.task === task);
  const before = events.slice(0, Math.max(0, startedAt));
  const from = before.findLastIndex(
    (event) => event.task === task || (event.kind === "started" && isOwn(event.task)),
  );
  const counts = new Map<string, number>();
  for (const event of before.slice(from + 1)) {
    const name = nameOf(event.task);
    if (event.kind === "started" && name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

const sum = (tasks: Task[], limits: { running: number }) =>
  tasks.reduce((all, { size }) => all + Math.min(size, limits.running), 0);

describe("the fair queue", () => {
  test("an owner of the fair queue waits for at most one task of each other owner", async () => {
    await fc.assert(
      fc.asyncProperty(upTo(4), stepsOf(fc.constant(1)), async (running, steps) => {
        const opened = openQueue({ running });
        await play(opened, steps);
        for (const task of opened.inState("ended")) {
          const isOwn = (other: Task) => other.owner === task.owner;
          const passed = mostPassed(opened, task, isOwn, (other) => (isOwn(other) ? undefined : other.owner));
          assert.ok(passed <= 1, `${passed} tasks of one owner passed one of ${task.owner}`);
        }
      }),
    );
  });

  test("a member of an owner waits for at most one task of each other member of it", async () => {
    await fc.assert(
      fc.asyncProperty(upTo(4), upTo(4), stepsOf(fc.constant(1)), async (running, runningPerOwner, steps) => {
        const opened = openQueue({ running, runningPerOwner });
        await play(opened, steps);
        for (const task of opened.inState("ended")) {
          const isOwn = (other: Task) => other.owner === task.owner && other.member === task.member;
          const nameOf = (other: Task) => (other.owner === task.owner ? other.member : undefined);
          const passed = mostPassed(opened, task, isOwn, nameOf);
          assert.ok(passed <= 1, `${passed} tasks of one member passed one of ${task.member}`);
        }
      }),
    );
  });

  test("the fair queue keeps its bounds, counts waiting and running tasks, and loses no task or place", async () => {
    const limitsOf = fc.record({
      running: upTo(6),
      runningPerOwner: upTo(6),
      waiting: upTo(12),
      waitingPerOwner: upTo(6),
    });
    await fc.assert(
      fc.asyncProperty(limitsOf, stepsOf(upTo(8)), async (limits, steps) => {
        const runningPerOwner = Math.min(limits.runningPerOwner, limits.running);
        const opened = openQueue({ ...limits, runningPerOwner });
        const { queue, inState } = opened;
        await play(opened, steps, () => {
          const [running, waiting] = [inState("running"), inState("waiting")];
          assert.deepEqual([queue.running, queue.waiting], [running.length, waiting.length]);
          assert.ok(sum(running, limits) <= limits.running);
          assert.equal(queue.used, sum(running, limits));
          assert.ok(waiting.length <= limits.waiting);
          for (const owner of "abcd") {
            const of = (tasks: Task[]) => tasks.filter((task) => task.owner === owner);
            assert.ok(of(running).length <= 1 || sum(of(running), limits) <= runningPerOwner);
            assert.ok(of(waiting).length <= limits.waitingPerOwner);
          }
          assert.ok(running.length > 0 || waiting.length === 0, "tasks wait for nothing");
        });
        assert.deepEqual([queue.running, queue.waiting, queue.oldestMs], [0, 0, 0]);
        assert.deepEqual([inState("running"), inState("waiting")], [[], []]);
        assert.ok(inState("aborted").every(({ abort }) => abort.signal.aborted));
      }),
    );
  });

  test("an owner with its share of places leaves the others to later owners", async () => {
    const { add, inState, endOneByOne } = openQueue({ running: 4, runningPerOwner: 2 });
    for (let count = 0; count < 8; count++) add("flood");
    await turn();
    assert.equal(inState("running").length, 2);
    const other = add("other");
    await turn();
    assert.equal(other.state, "running");
    await endOneByOne();
  });

  test("a large task of the fair queue is not overtaken by small ones that would fit", async () => {
    const { add, endOneByOne } = openQueue({ running: 3 });
    const first = add("a", { size: 2 });
    const large = add("b", { size: 3 });
    const small = add("c", { size: 1 });
    await turn();
    assert.deepEqual([first.state, large.state, small.state], ["running", "waiting", "waiting"]);
    large.abort.abort();
    await turn();
    assert.equal(small.state, "running");
    await endOneByOne();
  });

  test("a full fair queue refuses an owner beyond its bound and still accepts others until all is full", async () => {
    const { add, inState, endOneByOne } = openQueue({ running: 1, waiting: 3, waitingPerOwner: 2 });
    const running = add("a");
    const ofA = [add("a"), add("a"), add("a")];
    const ofB = [add("b"), add("b")];
    await turn();
    assert.equal(running.state, "running");
    assert.deepEqual(
      [...ofA, ...ofB].map(({ state }) => state),
      ["waiting", "waiting", "refused", "waiting", "refused"],
    );
    await endOneByOne();
    assert.equal(inState("ended").length, 4);
  });

  test("a full fair queue measures what waits by its weight", async () => {
    const queue = new FairQueue({ running: 1, waiting: 9, waitingPerOwner: 6 });
    const { promise, resolve } = Promise.withResolvers<void>();
    const add = (owner: string, weight: number) => queue.run(owner, () => promise, { weight });
    const calls = [add("a", 50), add("a", 4), add("a", 3), add("b", 6), add("b", 5), add("a", 1)];
    resolve();
    const refused = (await Promise.allSettled(calls)).map(({ status }) => status === "rejected");
    assert.deepEqual(refused, [false, false, true, true, false, true]);
    assert.equal(await queue.run("a", async () => "next", { weight: 9 }), "next");
  });

  test("a task learns how long it waited, and the queue how long its oldest has", async () => {
    let nowMs = 5;
    const queue = new FairQueue({ running: 1 }, () => nowMs);
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = queue.run("a", async (waitedMs) => {
      await promise;
      return waitedMs;
    });
    const second = queue.run("a", async (waitedMs) => waitedMs);
    nowMs += 20;
    const third = queue.run("b", async (waitedMs) => waitedMs);
    assert.equal(queue.oldestMs, 20);
    nowMs += 10;
    resolve();
    assert.deepEqual(await Promise.all([first, second, third]), [0, 30, 10]);
    assert.equal(queue.oldestMs, 0);
  });

  test("a task of the fair queue that fails makes room for the next one", async () => {
    const queue = new FairQueue({ running: 1 });
    const failing = queue.run("a", async () => assert.fail("broken"));
    const next = queue.run("a", async () => "next");
    await assert.rejects(failing, /broken/);
    assert.equal(await next, "next");
    assert.equal(await queue.run("a", async () => "later"), "later");
  });
});
