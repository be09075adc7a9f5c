import assert from "node:assert/strict";
import { createIds, ManualClock, silentLogger } from "@muster/service";
import { test } from "vitest";
import { chunkId } from "../store/chunk-document.ts";
import type { ReadChunk } from "../store/chunk-store.ts";
import type { SessionDocument } from "../store/session-document.ts";
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

function startCounting() {
  const counted = { pauses: 0 };
  const histories = createHistories({
    chunks: {
      before: async (_key, _range, id) => stored.filter(({ _id }) => _id < id).slice(0, 8),
      from: async (_key, _range, id) =>
        stored
          .filter(({ _id }) => _id > id)
          .reverse()
          .slice(0, 8),
      containing: async () => [],
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
