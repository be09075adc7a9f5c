import assert from "node:assert/strict";
import { type AuditEntry, type AuditFields, createAuditOutbox } from "@muster/events/audit";
import { anAuditEntry } from "@muster/events/testing";
import { ensureIndexes } from "@muster/store";
import { openTestStore } from "@muster/store/testing";
import { chainHash, chainStart } from "@muster/wire/audit";
import type { Db } from "mongodb";
import { type TestContext, test } from "vitest";
import { auditFilterOf, auditIndexes, type ChainedEntry, createAuditStore } from "./audit-store.ts";

const projectId = "prj_one";
const all = 100_000;

interface Changed extends AuditFields {
  _id: string;
}

async function open(t: TestContext) {
  const { db } = await openTestStore(t);
  await ensureIndexes(db, auditIndexes);
  return { db, audit: createAuditStore(db) };
}

function someEntries(count: number, fields: (index: number) => Partial<AuditEntry> = () => ({})) {
  return Array.from({ length: count }, (_, index) => anAuditEntry(fields(index)));
}

/** Fails unless the entries are a chain after the anchor. */
function assertChain(entries: readonly ChainedEntry[], anchor = { number: 0, hash: chainStart }) {
  let { number, hash } = anchor;
  for (const entry of entries) {
    number += 1;
    assert.equal(entry.number, number);
    hash = chainHash(hash, { ...entry, at: entry.at.toISOString() });
    assert.equal(entry.hash, hash);
  }
}

test("processes that append the same entries at once make one chain that has each of them once", async (t) => {
  const { db, audit } = await open(t);
  const entries = someEntries(60);
  const others = [1, 2, 3, 4, 5].map((step) => entries.filter((_, index) => index % step === 0));
  await Promise.all([entries, ...others].map((some) => createAuditStore(db).append(projectId, some)));
  const chained = await audit.chain(projectId, 0, all);
  assertChain(chained);
  assert.deepEqual(chained.map(({ id }) => id).toSorted(), entries.map(({ id }) => id).toSorted());
});

class Died extends Error {}

/** The database of a process that dies before or after its store command number `at`. Reads count as well. */
function dyingDb(db: Db, at: number, when: "before" | "after") {
  let commands = 0;
  const names = new Set(["find", "findOne", "insertMany", "updateOne", "updateMany", "deleteMany"]);
  const wrap = (collection: object) =>
    new Proxy(collection, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (!names.has(String(name))) return value.bind(target);
        return (...args: unknown[]) => {
          commands += 1;
          if (commands > at || (commands === at && when === "before")) throw new Died();
          const result: unknown = Reflect.apply(value, target, args);
          if (commands < at || !(result instanceof Promise)) return result;
          return result.then(() => Promise.reject(new Died()));
        };
      },
    });
  const dying = new Proxy(db, {
    get: (target, name) =>
      name === "collection" ? (title: string) => wrap(target.collection(title)) : Reflect.get(target, name),
  });
  return { dying, commands: () => commands };
}

async function collect(db: Db) {
  const outbox = createAuditOutbox([db.collection<Changed>("changed")]);
  const pending = await outbox.list(100);
  await createAuditStore(db).append(
    projectId,
    pending.map(({ entry }) => entry),
  );
  await outbox.drop(pending);
}

test("no entry is lost or doubled if the process dies before or after any of its store commands", async (t) => {
  const { db, audit } = await open(t);
  const changed = db.collection<Changed>("changed");
  let expected = 0;
  let deaths = 0;
  for (let at = 1, hasDied = true; hasDied; at += 1) {
    hasDied = false;
    for (const when of ["before", "after"] as const) {
      const audit = someEntries(3);
      expected += audit.length;
      await changed.insertMany([
        { _id: `kept ${at} ${when}`, audit: audit.slice(0, 2) },
        { _id: `deleted ${at} ${when}`, audit: audit.slice(2), tombstone: true },
      ]);
      await collect(dyingDb(db, at, when).dying).catch((error: unknown) => {
        if (!(error instanceof Died)) throw error;
        hasDied = true;
        deaths += 1;
      });
      await collect(db);
    }
  }
  assert.ok(deaths > 10, String(deaths));
  const chained = await audit.chain(projectId, 0, all);
  assertChain(chained);
  assert.equal(chained.length, expected);
  assert.equal(new Set(chained.map(({ id }) => id)).size, expected);
  const left = await changed.find().toArray();
  assert.ok(left.every(({ audit: waiting, tombstone }) => waiting?.length === 0 && !tombstone));
});

test("old entries are removed from the start of the chain, and the last of them stays as its anchor", async (t) => {
  const { audit } = await open(t);
  const day = (index: number) => new Date(Date.UTC(2026, 0, 1 + index));
  // The clock of one process was late.
  const times = [0, 1, 2, 6, 3, 4, 7];
  await audit.append(
    projectId,
    someEntries(times.length, (index) => ({ at: day(times[index] ?? 0) })),
  );
  const before = await audit.chain(projectId, 0, all);
  await audit.prune(projectId, day(5));
  const anchor = await audit.anchorOf(projectId);
  assert.deepEqual(anchor, { number: 3, hash: before[2]?.hash });
  assert.deepEqual(await audit.chain(projectId, 0, all), before.slice(3));
  assertChain(before.slice(3), anchor);
  await audit.prune(projectId, day(100));
  await audit.append(projectId, someEntries(1));
  const [next] = await audit.chain(projectId, 0, all);
  assert.equal(next?.number, times.length + 1);
  assertChain([next], await audit.anchorOf(projectId));
});

test("a page of a long log reads no more entries than it has, with each filter", async (t) => {
  const { db, audit } = await open(t);
  const entries = someEntries(1_000, (index) => ({
    actor: { kind: "key", id: `key_${index % 3}` },
    action: index % 2 === 0 ? "key.create" : "token.mint",
    target: `key_${index % 5}`,
  }));
  await audit.append(projectId, entries);
  const page = 20;
  const beforeId = entries[900]?.id ?? "";
  const filters = [
    ...[{}, { actor: "key_1" }, { action: "token.mint" }, { target: "key_2" }],
    ...[{ actor: "key_1", action: "key.create" }, { fromId: entries[0]?.id ?? "" }],
  ];
  for (const filter of filters.flatMap((some) => [some, { ...some, beforeId }])) {
    const cursor = db.collection<ChainedEntry>("audit_entries").find(auditFilterOf({ projectId, ...filter }));
    const { executionStats } = await cursor.sort({ id: -1 }).limit(page).explain("executionStats");
    assert.equal(executionStats.nReturned ?? page, page);
    assert.ok(executionStats.totalDocsExamined <= page, JSON.stringify(filter));
    assert.equal((await audit.list({ projectId, ...filter }, page)).length, page);
  }
  assert.equal((await audit.list({ projectId: "prj_two" }, page)).length, 0);
});

test("one instance appends at a time, and another one takes over when its lease has ended", async (t) => {
  const { audit } = await open(t);
  const at = (ms: number) => new Date(1_000_000 + ms);
  const take = (holder: string, ms: number) => audit.take({ holder, until: at(ms + 10) }, at(ms));
  assert.deepEqual([await take("a", 0), await take("b", 5), await take("a", 9)], [true, false, true]);
  assert.deepEqual([await take("b", 20), await take("a", 21)], [true, false]);
  await audit.release("b");
  assert.equal(await take("a", 22), true);
});
