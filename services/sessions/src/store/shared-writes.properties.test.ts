import assert from "node:assert/strict";
import { setImmediate as nextTick } from "node:timers/promises";
import { ManualClock, silentLogger } from "@muster/service";
import { createEventStore, eventsId } from "@muster/store/event-log";
import { openTestStore } from "@muster/store/testing";
import fc from "fast-check";
import { type Collection, type Db, MongoNetworkError } from "mongodb";
import { test } from "vitest";
import { createTurnLogs } from "../turns/stream/turn-logs.ts";
import type { SessionDocument } from "./session-document.ts";
import { createSessionStore } from "./session-store.ts";
import { eventsOfTurns, runName, type TurnEvents, turnEventCollection } from "./turn-events.ts";

/** `npm run test:long -- --times 70` runs ten thousand cases. */
const numRuns = 150 * Number(process.env.LONG_RUN ?? 1);
const leaseMs = 10_000;
const projectId = "prj_1";
/** A few turns displace so many events that a document has not enough space for them. */
const long = `"${"long ".repeat(400)}"`;
const finish = `finish ${long}`;

/** A command after which the process is dead, or suspended until the next one has run. Or only the reply is lost. */
interface Blow {
  command: number;
  /** The share of it that the store executes: of several statements, `part` is the first half. */
  arrives: "nothing" | "part" | "all";
  leaves: "dead" | "asleep" | "alive";
}

const blow: fc.Arbitrary<Blow> = fc.record({
  command: fc.integer({ min: 1, max: 14 }),
  arrives: fc.constantFrom("nothing", "part", "all"),
  leaves: fc.constantFrom("dead", "asleep", "alive"),
});

/** How many turns each of five sessions has there, one after the other, and the blow that it suffers. */
interface Process {
  turns: number[];
  blow?: Blow;
}

const anyProcess: fc.Arbitrary<Process> = fc.record(
  { turns: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 5, maxLength: 5 }), blow },
  { requiredKeys: ["turns"] },
);

const writes = ["insertOne", "insertMany", "updateOne", "bulkWrite", "findOneAndUpdate"];

/** The database as a process reaches it. */
function reached(db: Db, hit?: Blow) {
  const woken = Promise.withResolvers<void>();
  const down = Promise.withResolvers<void>();
  let isDown = false;
  let commands = 0;
  const send = async (collection: Collection, method: string, args: unknown[]): Promise<unknown> => {
    if (isDown) await woken.promise;
    commands += 1;
    const isHit = commands === hit?.command;
    const run = async (sent: unknown[]) => Reflect.apply(Reflect.get(collection, method), collection, sent);
    if (!isHit) return run(args);
    const [first, ...rest] = args;
    const part = Array.isArray(first) ? first.slice(0, first.length / 2) : [];
    if (hit?.arrives === "all") await run(args).catch(() => undefined);
    if (hit?.arrives === "part" && part.length > 0) await run([part, ...rest]).catch(() => undefined);
    if (hit?.leaves !== "alive") {
      isDown = true;
      down.resolve();
      await woken.promise;
    }
    throw new MongoNetworkError("The connection broke.");
  };
  const collection = (name: string, ...options: []): Collection => {
    const real = db.collection(name, ...options);
    return new Proxy(real, {
      get: (_, property) => {
        const value: unknown = Reflect.get(real, property, real);
        if (typeof value !== "function") return value;
        if (!writes.includes(String(property))) return value.bind(real);
        return (...args: unknown[]) => send(real, String(property), args);
      },
    });
  };
  const proxy = new Proxy(db, {
    get: (_, name) => (name === "collection" ? collection : Reflect.get(db, name)),
  });
  return { db: proxy, down: down.promise, wake: woken.resolve };
}

test("no turn that was reported as persisted is lost, nor its events, however turns share commands and processes die", async (t) => {
  const { db } = await openTestStore(t);
  let cases = 0;
  const property = fc.asyncProperty(
    fc.array(anyProcess, { minLength: 1, maxLength: 4 }),
    fc.boolean(),
    async (processes, isAlone) => {
      const clock = new ManualClock();
      const prefix = `${++cases}`;
      /** The turns of each session that were reported, in their order. */
      const reported = new Map<string, Array<{ executionId: string; run: number }>>();

      const start = (index: number, { turns, blow }: Process) => {
        const reach = reached(db, blow);
        const store = createSessionStore(reach.db);
        const eventStore = createEventStore<TurnEvents>(reach.db, turnEventCollection);
        const times = { flushEveryMs: 3_600_000, gatherMs: 0, keepMs: 3_600_000 };
        const logs = createTurnLogs({ eventStore, clock, log: silentLogger, isAlone, ...times });
        const isCalm = blow === undefined;

        const turnOf = async (sessionId: string, nth: number): Promise<void> => {
          const now = new Date(clock.now());
          const executionId = `${sessionId}_${index}_${nth}`;
          const lease = {
            runId: `run_${executionId}`,
            holder: `${index}`,
            until: new Date(clock.now() + leaseMs),
          };
          const session = newSession(sessionId, now);
          let before = session;
          let held = nth === 0 ? await store.insertHeld(session, lease) : null;
          if (held === null) {
            const outcome = await store.lock({ projectId, sessionId }, lease, null, now);
            if (!outcome.locked) return assert.ok(!isCalm, "a free session is locked");
            ({ before, held } = outcome);
          }
          const key = { projectId, sessionId, executionId, run: held.epoch };
          const log = logs.open(key);
          const { store: storeDisplaced, ...earlier } = logs.displace(before, key) ?? {};
          log.append({ $typeName: "muster.sessions.v1.StreamEvent", sequence: 1, type: "start", json: "1" });
          await nextTick();
          const pendingEvents = log.pending([{ type: "finish", json: long }]);
          assert.ok(pendingEvents);
          await storeDisplaced?.();
          const tail = JSON.stringify([...JSON.parse(before.tail ?? "[]"), executionId]);
          const state = { tail, memory: "{}", execution: null, pendingEvents, ...earlier };
          if (!(await store.settle(held, state, null, now))) return assert.ok(!isCalm, "its holder ends it");
          log.keptWithTurn(pendingEvents);
          log.append({
            $typeName: "muster.sessions.v1.StreamEvent",
            sequence: 2,
            type: "finish",
            json: long,
          });
          log.end();
          reported.set(sessionId, [...(reported.get(sessionId) ?? []), { executionId, run: held.epoch }]);
        };

        const ended = Promise.all(
          turns.map(async (count, nth) => {
            for (let turn = 0; turn < count; turn += 1)
              await turnOf(`ses_${prefix}_${nth}`, turn).catch(ignoreOutage);
          }),
        );
        ended.catch(() => undefined);
        return { ended, ...reach, sleeps: blow?.leaves === "asleep" };
      };

      const asleep: Array<ReturnType<typeof start>> = [];
      for (const [index, each] of processes.entries()) {
        const process = start(index, each);
        await Promise.race([process.ended, process.down]);
        // Nothing of a dead process ever wakes up.
        if (process.sleeps) asleep.push(process);
        clock.advance(leaseMs);
      }
      for (const process of asleep) {
        process.wake();
        await process.ended;
      }
      const sessions = db.collection<SessionDocument>("sessions");
      const events = db.collection<TurnEvents>(turnEventCollection.collection);
      for (const [sessionId, turns] of reported) {
        const { tail, ...inSession } = (await sessions.findOne({ _id: sessionId })) ?? {};
        const stored: string[] = JSON.parse(tail ?? "[]");
        const names = turns.map(({ executionId }) => executionId);
        assert.deepEqual(
          stored.filter((name) => names.includes(name)),
          names,
        );
        for (const turn of turns) {
          const found =
            eventsOfTurns(inSession).find(({ executionId }) => executionId === turn.executionId) ??
            (await events.findOne({ _id: eventsId(runName(turn), 1) }));
          assert.deepEqual([found?.events, found?.isLast], [`start 1\n${finish}\n`, true]);
        }
      }
    },
  );
  await fc.assert(property, { numRuns });
});

function ignoreOutage(error: unknown): void {
  if (!(error instanceof MongoNetworkError)) throw error;
}

function newSession(_id: string, now: Date): SessionDocument {
  return {
    ...{ _id, projectId, agentId: "agt_1", agentVersion: 1, status: "active", input: "{}" },
    ...{ head: [], tail: "[]", memory: "{}", createdAt: now, updatedAt: now, expiresAt: null },
    ...{ epoch: 0, lease: null, execution: null },
  };
}
