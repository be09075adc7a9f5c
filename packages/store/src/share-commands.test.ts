import assert from "node:assert/strict";
import { openTestStore } from "@muster/store/testing";
import fc from "fast-check";
import { describe, test } from "vitest";
import { shareCommands, sharedChanges, sharedInserts } from "./share-commands.ts";

interface Row {
  _id: string;
  epoch: number;
  text?: string;
}

const neverLarge = () => false;

describe("items that are sent while a command is under way", () => {
  test("they share the next one, in their order and up to its limit, like those of one moment", async () => {
    const commands: string[][] = [];
    const many = async (items: string[]) => {
      commands.push(items);
      return items;
    };
    const send = shareCommands({
      one: async (item: string) => (await many([item])).join(),
      many,
      isLarge: (item) => item === "large",
      max: 2,
    });
    const sent = ["a", "b", "large", "c", "d"].map((item) => send(item));
    assert.deepEqual(commands, [["large"]]);
    assert.deepEqual(await Promise.all(sent), ["a", "b", "large", "c", "d"]);
    assert.deepEqual(commands, [["large"], ["a", "b"], ["c", "d"]]);
    assert.equal(await send("e"), "e");
  });

  test("each gets its own outcome, and is sent alone once at most, whatever becomes of their commands", async () => {
    const fates = fc.array(fc.constantFrom("known", "unknown", "fails"), { minLength: 1, maxLength: 8 });
    const items = fc.integer({ min: 1, max: 30 });
    const property = fc.asyncProperty(items, fates, fc.scheduler(), async (count, all, scheduler) => {
      let next = 0;
      const alone = new Set<number>();
      const send = shareCommands({
        one: async (item: number) => {
          assert.ok(!alone.has(item));
          alone.add(item);
          await scheduler.schedule(Promise.resolve());
          return { item };
        },
        many: async (shared) => {
          await scheduler.schedule(Promise.resolve());
          const fate = all[next++ % all.length];
          if (fate === "fails") throw new Error("The store is down.");
          return shared.map((item) => (fate === "known" || item % 3 === 0 ? { item } : undefined));
        },
        max: 7,
      });
      const sent = Array.from({ length: count }, async (_, item) => {
        await scheduler.schedule(Promise.resolve());
        return send(item);
      });
      const outcomes = await scheduler.waitFor(Promise.allSettled(sent));
      for (const [item, outcome] of outcomes.entries()) {
        if (outcome.status === "fulfilled") assert.deepEqual(outcome.value, { item });
        else assert.match(String(outcome.reason), /down/);
      }
    });
    await fc.assert(property, { numRuns: 200 });
  });
});

describe("writes that share commands", () => {
  test("each change knows whether its own condition was true", async (t) => {
    const rows = (await openTestStore(t)).db.collection<Row>("rows");
    await rows.insertMany(Array.from({ length: 9 }, (_, index) => ({ _id: `r${index}`, epoch: index })));
    const send = sharedChanges(rows, neverLarge);
    const moves = Array.from({ length: 9 }, (_, index) => {
      const epoch = index % 4 === 3 ? -1 : index;
      return send({ key: { _id: `r${index}`, epoch }, transition: { set: { text: "moved" } } });
    });
    const outcomes = await Promise.all(moves);
    assert.deepEqual(outcomes, [true, true, true, false, true, true, true, false, true]);
    const moved = await rows.find({ text: "moved" }).sort({ _id: 1 }).toArray();
    assert.deepEqual(
      moved.map(({ epoch }) => epoch),
      [0, 1, 2, 4, 5, 6, 8],
    );
  });

  test("a document that exists leaves the others of its command inserted", async (t) => {
    const rows = (await openTestStore(t)).db.collection<Row>("rows");
    await rows.insertOne({ _id: "r3", epoch: 7 });
    const send = sharedInserts(rows, neverLarge);
    const inserts = Array.from({ length: 5 }, (_, epoch) => send({ _id: `r${epoch}`, epoch }));
    const outcomes = await Promise.all(inserts);
    assert.equal(outcomes[3], false);
    assert.deepEqual(
      (await rows.find().sort({ _id: 1 }).toArray()).map(({ epoch }) => epoch),
      [0, 1, 2, 7, 4],
    );
  });
});
