import assert from "node:assert/strict";
import { createIds, ManualClock, silentLogger } from "@muster/service";
import { test } from "vitest";
import { type ChunkStore, chunkId, type ReadChunk } from "../../store/chunk-store.ts";
import type { SessionDocument } from "../../store/session-document.ts";
import { createHistories } from "./histories.ts";
import { createHistoryCache } from "./history-cache.ts";

const count = 60;
const now = new Date(0);

/** A session with one archived message in each of 60 chunks of some 64 KiB. */
const session: SessionDocument = {
  _id: "ses_1",
  projectId: "prj_1",
  agentId: "agt_1",
  agentVersion: 1,
  status: "active",
  input: "{}",
  head: [{ gen: "gen_1", from: 0, to: count, bytes: count * 64 * 1024 }],
  tail: "[]",
  memory: '{"variables":{},"resources":{}}',
  createdAt: now,
  updatedAt: now,
  expiresAt: null,
  epoch: 0,
  lease: null,
  execution: null,
};

const stored: ReadChunk[] = Array.from({ length: count }, (_, first) => ({
  _id: chunkId("ses_1", "gen_1", first, first + 1),
  first,
  count: 1,
  shownIds: [],
  messages: JSON.stringify([{ id: `msg_${first}`, parts: [{ type: "text", text: "x".repeat(64 * 1024) }] }]),
})).reverse();

type Place = Awaited<ReturnType<ChunkStore["mentioning"]>>[number];

function startCounting(places: Place[] = []) {
  const counted = { pauses: 0, reads: 0 };
  const histories = createHistories({
    chunks: {
      before: async (_key, _range, id) => {
        counted.reads++;
        return stored.filter(({ _id }) => _id < id).slice(0, 8);
      },
      from: async (_key, _range, id) =>
        stored
          .filter(({ _id }) => _id > id)
          .reverse()
          .slice(0, 8),
      containing: async () => [],
      mentioning: async () => places,
      insert: async () => undefined,
    },
    cache: createHistoryCache(1),
    clock: new ManualClock(),
    log: silentLogger,
    newId: createIds(),
    archiveLength: 32 * 1024,
    pause: async () => void counted.pauses++,
  });
  return { histories, counted };
}

test("a long conversation is loaded in order, with a pause after every 128 KiB", async () => {
  const { histories, counted } = startCounting();
  const { conversation } = await histories.open(session);
  assert.deepEqual(
    conversation.messages.map(({ id }) => id),
    Array.from({ length: count }, (_, index) => `msg_${index}`),
  );
  assert.ok(counted.pauses >= count / 2, `${counted.pauses} pauses`);
});

test("a long conversation is shown and outlined in order, with a pause after every 128 KiB", async () => {
  const readers = {
    partsOf: (histories: ReturnType<typeof startCounting>["histories"]) => histories.partsOf(session),
    partsBefore: (histories: ReturnType<typeof startCounting>["histories"]) =>
      histories.partsBefore(session, undefined),
  };
  for (const read of Object.values(readers)) {
    const { histories, counted } = startCounting();
    let parts = 0;
    for await (const _part of read(histories)) parts++;
    assert.equal(parts, count + 1);
    assert.ok(counted.pauses >= count / 2, `${counted.pauses} pauses`);
  }
  const { histories, counted } = startCounting();
  await histories.outlineOf(session);
  assert.ok(counted.pauses >= count / 2, `${counted.pauses} pauses`);
});

test("an execution is looked up without reading the conversation, and only in what belongs to it", async () => {
  const place = { gen: "gen_1", first: 10, count: 1, executionIds: ["exe_1"] };
  for (const [places, isMentioned] of [
    [[place], true],
    [[], false],
    [[{ ...place, first: count }], false],
    [[{ ...place, gen: "gen_2" }], false],
  ] satisfies Array<[Place[], boolean]>) {
    const { histories, counted } = startCounting(places);
    assert.equal(await histories.mentions(session, "exe_1"), isMentioned);
    assert.equal(counted.reads, 0);
  }
  const tail = JSON.stringify([{ id: "msg_60", executionId: "exe_1" }]);
  assert.equal(await startCounting().histories.mentions({ ...session, tail }, "exe_1"), true);
});

test("of archived messages, only those that an earlier release stored are read for an execution", async () => {
  const { histories, counted } = startCounting([{ gen: "gen_1", first: 10, count: 1 }]);
  assert.equal(await histories.mentions(session, "exe_1"), false);
  assert.equal(counted.reads, 1);
});
