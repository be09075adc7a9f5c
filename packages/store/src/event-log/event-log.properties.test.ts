import assert from "node:assert/strict";
import { silentLogger } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import fc from "fast-check";
import { test } from "vitest";
import { EventLog, type OnDue } from "./event-log.ts";
import { createEventLogs } from "./event-logs.ts";
import {
  createEventStore,
  type EventsDocument,
  endOf,
  eventsId,
  lineOf,
  type NumberedEvent,
} from "./events-document.ts";
import { follow, type Piece, pieceOf } from "./follow.ts";

const projectId = "prj_1";
const ahead = { events: 8, characters: 1_000 };
const never = new AbortController().signal;

/** Documents of at most three events. */
class SmallLog extends EventLog<NumberedEvent, EventsDocument> {
  readonly writer: string;

  constructor(id: string, first: number, writer: string, readers: "live" | "of-stored", onDue: OnDue) {
    super({ id, first, readers, ahead, onDue });
    this.writer = writer;
  }

  say(text: string): void {
    this.append({ sequence: this.last + 1, type: "said", json: JSON.stringify(text) });
  }

  protected override compose(first: number, unstored: readonly NumberedEvent[]): EventsDocument {
    const taken = unstored.slice(0, 3);
    const events = taken.map(lineOf).join("");
    const isLast = this.isEnded && taken.length === unstored.length;
    const at = { _id: eventsId(this.id, first), projectId, writer: this.writer };
    return { ...at, first, count: taken.length, events, isLast };
  }
}

/** Before a writer continues a log, commands of the earlier one can fail, or arrive although they seem to fail. */
const holder = fc.record({
  events: fc.nat(12),
  late: fc.nat(4),
  failures: fc.array(fc.constantFrom("fails", "arrives"), { maxLength: 2 }),
});

test("however often writers change and commands fail, each stored number has one meaning, and every reader sees the same", async (t) => {
  const { db } = await openTestStore(t);
  const store = createEventStore<EventsDocument>(db, {
    collection: "events",
    until: "until",
    index: "until",
  });
  let runs = 0;
  const property = fc.asyncProperty(
    fc.array(holder, { minLength: 1, maxLength: 5 }),
    fc.constantFrom("live" as const, "of-stored" as const),
    async (holders, readers) => {
      const id = `log_${++runs}`;
      let previous: SmallLog | undefined;
      for (const [index, { events, late, failures }] of holders.entries()) {
        const left = [...failures];
        const logs = createEventLogs<EventsDocument, SmallLog>({
          insert: async (documents) => {
            const failure = left.shift();
            if (failure === "fails") throw new Error("The store is down.");
            const taken = await store.insert(documents);
            if (failure === "arrives") throw new Error("The connection broke.");
            return taken;
          },
          ...{ log: silentLogger, waitMs: () => 1, gatherMs: 0, retryMs: 1 },
        });
        const open = (first: number) =>
          logs.open((onDue) => new SmallLog(id, first, `writer_${index}`, readers, onDue));
        // The first event of a writer is its fence.
        for (let count = 0; count < late; count += 1) previous?.say("late");
        let log: SmallLog;
        do {
          const end = await store.last(projectId, id);
          log = open(end === null ? 1 : endOf(end) + 1);
          log.say(`${index} begins`);
          await Promise.all([log.flushed(never), previous?.flushed(never)]);
        } while (log.isLost);
        previous?.say("too late");
        for (let count = 0; count < events; count += 1) log.say(`${index}:${count}`);
        await Promise.all([log.flushed(never), previous?.flushed(never)]);
        previous = log;
        if (index < holders.length - 1) continue;
        const read = readAll(store, id, log);
        log.say("the end");
        log.end();
        await log.flushed(never);
        assert.deepEqual(await read, await readAll(store, id));
      }
      const seen = await readAll(store, id);
      assert.deepEqual(
        seen.map(({ sequence }) => sequence),
        seen.map((_, index) => index + 1),
      );
      const said = seen.map(({ json }) => String(JSON.parse(json))).filter((text) => text !== "late");
      assert.deepEqual(said, [
        ...holders.flatMap(({ events }, index) => [
          `${index} begins`,
          ...Array.from({ length: events }, (_, count) => `${index}:${count}`),
        ]),
        "the end",
      ]);
    },
  );
  await fc.assert(property, { numRuns: 40 });
});

test("a writer whose documents have no name is refused where a fence is, and may repeat its own", async (t) => {
  const { db } = await openTestStore(t);
  const store = createEventStore<EventsDocument>(db, {
    collection: "events",
    until: "until",
    index: "until",
  });
  const at = (first: number) => ({
    _id: eventsId("log", first),
    projectId,
    first,
    count: 1,
    events: "said 1\n",
  });
  assert.ok(await store.fence({ ...at(2), count: 0, events: "", next: 9 }));
  assert.deepEqual(await store.insert([at(1)]), new Set());
  assert.deepEqual(await store.insert([at(1), at(2)]), new Set([at(2)._id]));
  assert.equal(await store.fence({ ...at(1), count: 0, events: "", next: 9 }), false);
});

/** With a log: as its reader on the writer's instance. */
async function readAll(
  store: Pick<ReturnType<typeof createEventStore<EventsDocument>>, "around">,
  id: string,
  log?: SmallLog,
): Promise<NumberedEvent[]> {
  const read = async (after: number): Promise<Piece<NumberedEvent>> => {
    const events = log?.after(after);
    if (events !== undefined) return { events, last: events.at(-1)?.sequence ?? after };
    return pieceOf("event", await store.around(projectId, id, after + 1), after);
  };
  const wait = async (after: number) => {
    if (log === undefined || (log.isEnded && log.stored === after && log.last === after)) return "ended";
    if (log.isLost) return "lost";
    await log.whenMore(AbortSignal.timeout(5));
    return undefined;
  };
  const seen: NumberedEvent[] = [];
  for await (const events of follow({ read, wait }, 0, never))
    seen.push(...events.map(({ sequence, type, json }) => ({ sequence, type, json })));
  return seen;
}
