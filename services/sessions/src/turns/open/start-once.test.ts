import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { type Outcome, type Steps, startOnce } from "./start-once.ts";

interface Row {
  sessionId: string;
  body: string;
}

interface Request {
  body: string;
  /** Refused whenever it is checked. */
  isWrong: boolean;
  /** Its process dies at this step, before or after the step has had its effect. */
  death?: { step: number; isBefore: boolean };
  /** How often the request waits for another one. */
  patience: number;
}

class Died extends Error {}
class Refused extends Error {}
class Reused extends Error {}

/** A store and the requests that reach it. `turn` yields to other requests first. */
function createWorld(turn: () => Promise<unknown>) {
  const world = { row: null as Row | null, runs: [] as string[], send };
  let ids = 0;

  function stepsOf({ body, isWrong, death, patience }: Request): Steps<Row, { row: Row }> {
    let step = 0;
    let waits = 0;
    const act = async <T>(effect: () => T): Promise<T> => {
      const dies = step === death?.step;
      step += 1;
      await turn();
      if (dies && death.isBefore) throw new Died();
      const value = effect();
      if (dies) throw new Died();
      await turn();
      return value;
    };
    return {
      findRow: () => act(() => world.row),
      assertSame: (row) => {
        if (row.body !== body) throw new Reused();
      },
      prepare: (row) =>
        act(() => {
          if (isWrong) throw new Refused();
          return { row: row ?? { sessionId: `ses_${++ids}`, body } };
        }),
      insertRow: (row) =>
        act(() => {
          if (world.row !== null) return false;
          world.row = row;
          return true;
        }),
      hasSession: ({ sessionId }) => act(() => world.runs.includes(sessionId)),
      insertSession: ({ row }) =>
        act(() => {
          if (world.runs.includes(row.sessionId)) return false;
          world.runs.push(row.sessionId);
          return true;
        }),
      giveTime: () => act(() => ++waits <= patience),
    };
  }

  function send(request: Request): Promise<Outcome<Row, { row: Row }>> {
    return startOnce(stepsOf(request));
  }
  return world;
}

const rowOf = (outcome: Outcome<Row, { row: Row }>): Row =>
  "row" in outcome ? outcome.row : outcome.prepared.row;

const request = fc.record(
  {
    body: fc.constantFrom("a", "a", "a", "b"),
    isWrong: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
    death: fc.record({ step: fc.nat(7), isBefore: fc.boolean() }),
    patience: fc.nat(3),
  },
  { requiredKeys: ["body", "isWrong", "patience"] },
);

describe("any number of requests with one idempotency key", () => {
  test("one session is opened and runs once, in any order and whichever processes die", async () => {
    const property = fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 6 }),
      fc.scheduler(),
      async (requests, scheduler) => {
        const world = createWorld(() => scheduler.schedule(Promise.resolve()));
        const sent = requests.map((each) => world.send(each).catch((error: unknown) => error));
        await scheduler.waitFor(Promise.all(sent));
        const results = await Promise.all(sent);
        const wasBound = world.row;
        for (const [index, result] of results.entries()) {
          if (result instanceof Error) {
            assert.ok(
              [Died, Refused, Reused].some((known) => result instanceof known),
              result.stack,
            );
          } else {
            assert.deepEqual(rowOf(result as Outcome<Row, { row: Row }>), world.row);
            assert.equal(requests[index]?.body, world.row?.body);
          }
        }
        const last: Request = { body: wasBound?.body ?? "a", isWrong: false, patience: 0 };
        const final = world.send(last);
        await scheduler.waitFor(final);
        assert.deepEqual(rowOf(await final), world.row);
        if (wasBound !== null) assert.equal(world.row, wasBound);
        assert.deepEqual(world.runs, [world.row?.sessionId]);
      },
    );
    await fc.assert(property, { numRuns: 3_000 });
  });

  test("requests that are all refused bind nothing", async () => {
    const refused = request.map((each) => ({ ...each, isWrong: true }));
    const property = fc.asyncProperty(fc.array(refused), fc.scheduler(), async (requests, scheduler) => {
      const world = createWorld(() => scheduler.schedule(Promise.resolve()));
      const sent = Promise.allSettled(requests.map((each) => world.send(each)));
      await scheduler.waitFor(sent);
      for (const { status } of await sent) assert.equal(status, "rejected");
      assert.deepEqual([world.row, world.runs], [null, []]);
    });
    await fc.assert(property, { numRuns: 500 });
  });
});
