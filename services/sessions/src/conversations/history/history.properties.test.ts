import assert from "node:assert/strict";
import { type Conversation, rollback, type StoredMessage, settle } from "@muster/engine";
import { createIds, ManualClock, silentLogger } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import fc from "fast-check";
import type { Db } from "mongodb";
import { test } from "vitest";
import { type ChunkStore, createChunkStore } from "../../store/chunk-store.ts";
import type { Held } from "../../store/moves.ts";
import { inDocument, type SessionDocument, type SessionState } from "../../store/session-document.ts";
import { createSessionStore, type SessionStore } from "../../store/session-store.ts";
import { newHead } from "./head.ts";
import { createHistories, type Histories, type OpenedConversation } from "./histories.ts";
import { createHistoryCache } from "./history-cache.ts";
import { sweepAfter, sweepChunks } from "./sweep.ts";

/** `npm run test:long` runs ten times as many cases. */
const numRuns = 30 * Number(process.env.LONG_RUN ?? 1);
const leaseMs = 10_000;
const hourMs = 3_600_000;

/** An operation on a session, on one of two instances. */
type Operation = { on: 0 | 1 } & (
  | {
      type: "turn";
      /** The lengths of the messages of each step. The turn is stored after each, and at its end. */
      steps: number[][];
      /** Where a rollback goes, as a share of the messages. */
      rollback?: number;
      /** The process dies with this write, which still happens or does not. Absent: the turn ends. */
      crash?: { write: number; happens: boolean };
      /** After the crash, the process turns out to be alive. */
      wakesUp?: boolean;
    }
  | { type: "restore"; lengths: number[]; afterMs: number }
  | { type: "pass"; ms: number }
);

const on = fc.constantFrom<0 | 1>(0, 1);
const lengths = fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 6 });
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record(
      {
        type: fc.constant("turn" as const),
        on,
        steps: fc.array(lengths, { maxLength: 3 }),
        rollback: fc.double({ min: 0, max: 1, noNaN: true }),
        crash: fc.record({ write: fc.integer({ min: 1, max: 5 }), happens: fc.boolean() }),
        wakesUp: fc.boolean(),
      },
      { requiredKeys: ["type", "on", "steps"] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("restore" as const),
      on,
      lengths: fc.array(fc.nat(200), { maxLength: 20 }),
      afterMs: fc.constantFrom(0, hourMs),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("pass" as const),
      on,
      ms: fc.constantFrom(leaseMs, hourMs, 2 * hourMs),
    }),
  },
);

class Crash extends Error {}

/** A session under test, and its messages as a plain list that is right by definition. */
class World {
  expected: StoredMessage[] = [];
  readonly #clock = new ManualClock();
  readonly #newId = createIds();
  readonly #key = { projectId: "prj_1", sessionId: this.#newId("ses") };
  readonly #sessions: SessionStore;
  readonly #chunks: ChunkStore;
  readonly #instances: readonly [Histories, Histories];
  #writesLeft = Number.POSITIVE_INFINITY;
  #lastHappens = false;
  #zombies: Array<() => Promise<void>> = [];
  #texts = 0;
  /** Documents that readers have begun with, and the messages that they must read. */
  readonly #readers: Array<{ atMs: number; session: SessionDocument; expected: StoredMessage[] }> = [];

  constructor(db: Db) {
    this.#sessions = createSessionStore(db);
    this.#chunks = createChunkStore(db);
    this.#instances = [this.#instance(), this.#instance()];
  }

  #instance(): Histories {
    const insert: ChunkStore["insert"] = (...chunk) => this.#write(() => this.#chunks.insert(...chunk));
    return createHistories({
      chunks: { ...this.#chunks, insert },
      cache: createHistoryCache(1_000_000),
      clock: this.#clock,
      log: silentLogger,
      newId: this.#newId,
      archiveLength: 500,
    });
  }

  async #write<T>(write: () => Promise<T>): Promise<T> {
    this.#writesLeft -= 1;
    if (this.#writesLeft > 0) return write();
    if (this.#writesLeft === 0 && this.#lastHappens) await write();
    throw new Crash();
  }

  async create(): Promise<void> {
    const now = new Date(this.#clock.now());
    await this.#sessions.insert({
      _id: this.#key.sessionId,
      projectId: this.#key.projectId,
      agentId: "agt_1",
      agentVersion: 1,
      status: "active",
      input: "{}",
      head: [...newHead(this.#newId)],
      ...inDocument(conversationOf([])),
      createdAt: now,
      updatedAt: now,
      expiresAt: null,
      epoch: 0,
      lease: null,
      execution: null,
    });
  }

  async perform(operation: Operation): Promise<void> {
    if (operation.type === "turn") await this.#turn(operation);
    else if (operation.type === "restore") await this.#restore(operation);
    else await this.#pass(operation.ms);
  }

  /** Both instances must read the expected messages, also with their caches. */
  async check(): Promise<void> {
    const session = await this.#document();
    for (const histories of this.#instances) {
      assert.deepEqual((await histories.open(session)).conversation.messages, this.expected);
    }
    assert.ok((session.tail?.length ?? 0) < 10_000, "the document does not grow");
    this.#readers.push({ atMs: this.#clock.now(), session, expected: this.expected });
    for (const reader of this.#readers.slice(-4)) {
      if (this.#clock.now() - reader.atMs >= hourMs) continue;
      const [forwards, backwards]: [StoredMessage[], StoredMessage[]] = [[], []];
      for await (const { text } of this.#instances[0].partsOf(reader.session)) {
        forwards.push(...JSON.parse(text));
      }
      const before = Math.floor(reader.expected.length / 2);
      for await (const { text } of this.#instances[0].partsBefore(reader.session, before)) {
        backwards.unshift(...JSON.parse(text));
      }
      assert.deepEqual(forwards, reader.expected, "a reader sees the messages with which it began");
      assert.deepEqual(backwards, reader.expected.slice(0, before));
      const wanted = reader.expected[before];
      if (wanted === undefined) continue;
      assert.equal(await this.#instances[0].positionOf(reader.session, wanted.id), before);
    }
  }

  async #document(): Promise<SessionDocument> {
    const session = await this.#sessions.find(this.#key);
    assert.ok(session);
    return session;
  }

  async #turn(operation: Extract<Operation, { type: "turn" }>): Promise<void> {
    const now = new Date(this.#clock.now());
    const runId = this.#newId("run");
    const lease = { runId, holder: "run_0", until: new Date(now.getTime() + leaseMs) };
    const lock = await this.#sessions.lock(this.#key, lease, null, now);
    if (!lock.locked) return;
    const opened = await this.#instances[operation.on].open(lock.before);
    for (const { status, parts } of opened.conversation.messages) {
      if (status === "done") Object.freeze(parts);
    }
    if (operation.crash !== undefined) {
      this.#writesLeft = operation.crash.write;
      this.#lastHappens = operation.crash.happens;
    }
    try {
      await this.#run(opened, lock.held, operation);
      this.#writesLeft = Number.POSITIVE_INFINITY;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      await opened.history.idle();
      this.#writesLeft = Number.POSITIVE_INFINITY;
      if (operation.wakesUp) this.#zombies.push(() => this.#goOn(opened, lock.held));
    }
  }

  async #run(
    opened: OpenedConversation,
    held: Held,
    { steps, rollback: share }: Extract<Operation, { type: "turn" }>,
  ): Promise<void> {
    const { conversation, history } = opened;
    if (share !== undefined) {
      const at = Math.floor(share * conversation.messages.length);
      const kept = rollback(conversation, conversation.messages[at]?.id ?? null);
      await history.rewind(kept ?? conversation.messages.length);
    }
    settle(conversation);
    history.archive();
    for (const step of steps) {
      conversation.messages.push(...step.map((length) => this.#message(length)));
      const last = conversation.messages.at(-1);
      if (last !== undefined && step.length > 0) last.status = "streaming";
      if (!(await this.#save(opened, held))) return;
      if (last !== undefined) last.status = "done";
    }
    settle(conversation);
    const now = new Date(this.#clock.now());
    await this.#publish(opened, (state) => this.#sessions.settle(held, state, null, now));
  }

  async #save(opened: OpenedConversation, held: Held): Promise<boolean> {
    const now = new Date(this.#clock.now());
    const isStored = await this.#publish(opened, (state) => this.#sessions.save(held, state, now));
    if (isStored) opened.history.archive();
    return isStored;
  }

  async #publish(
    { conversation, history }: OpenedConversation,
    write: (state: SessionState) => Promise<boolean>,
  ): Promise<boolean> {
    await history.idle();
    const snapshot = history.snapshot(conversation);
    const published = structuredClone(conversation.messages);
    const isStored = await this.#write(async () => {
      const hasHappened = await write({ ...snapshot.fields, execution: null });
      if (hasHappened) this.expected = published;
      return hasHappened;
    });
    if (isStored) history.written(snapshot);
    return isStored;
  }

  /** A holder that was taken for dead: as long as no process has taken its session, it still may write. */
  async #goOn(opened: OpenedConversation, held: Held): Promise<void> {
    opened.history.archive();
    opened.conversation.messages.push(this.#message(700));
    await this.#save(opened, held);
  }

  async #restore({ on, lengths, afterMs }: Extract<Operation, { type: "restore" }>): Promise<void> {
    const clearedMs = this.#clock.now();
    await this.#sessions.clear(this.#key, new Date(clearedMs), sweepAfter(clearedMs));
    this.expected = [];
    await this.check();
    this.#clock.advance(afterMs);
    const conversation = conversationOf(lengths.map((length) => this.#message(length)));
    const announce = () => this.#sessions.requestSweep(this.#key, sweepAfter(this.#clock.now()));
    const fields = await this.#instances[on].prepare(this.#key, conversation, announce);
    // Another restore at the same time, which is too late.
    const late = conversationOf([this.#message(900)]);
    const other = await this.#instances[1 - on]?.prepare(this.#key, late, announce);
    await this.#sweep();
    const nowMs = this.#clock.now();
    const state = { input: "{}", expiresAt: null, sweepAt: sweepAfter(nowMs) };
    const now = new Date(nowMs);
    const epoch = (await this.#sessions.find(this.#key))?.epoch ?? 0;
    assert.ok(await this.#sessions.restore(this.#key, epoch, { ...state, ...fields }, now));
    assert.ok(other && !(await this.#sessions.restore(this.#key, epoch, { ...state, ...other }, now)));
    this.expected = conversation.messages;
  }

  async #pass(ms: number): Promise<void> {
    this.#clock.advance(ms);
    for (const goOn of this.#zombies.splice(0)) await goOn();
    await this.#sweep();
  }

  async #sweep(): Promise<void> {
    const { sweepAt, ...session } = await this.#document();
    if (sweepAt === undefined || sweepAt.getTime() > this.#clock.now()) return;
    const stores = { chunks: this.#chunks, store: this.#sessions };
    await sweepChunks(stores, { ...session, sweepAt }, this.#clock.now());
  }

  #message(length: number): StoredMessage {
    this.#texts += 1;
    const text = `${this.#texts} `.padEnd(length, "x");
    return {
      id: `msg_${this.#texts}`,
      role: this.#texts % 2 === 0 ? "assistant" : "user",
      status: "done",
      createdAt: "2026-01-01T00:00:00.000Z",
      thread: "main",
      audience: "everyone",
      parts: [{ type: "text", text, status: "done" }],
    };
  }
}

function conversationOf(messages: StoredMessage[]): Conversation {
  return { messages, variables: {}, resources: {} };
}

test("whatever turns, rollbacks, crashes, late writers, restores and sweeps do on two instances, both read the same messages as a plain list", async (t) => {
  const { db } = await openTestStore(t);
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 14 }), async (operations) => {
      const world = new World(db);
      await world.create();
      for (const operation of operations) {
        await world.perform(operation);
        await world.check();
      }
    }),
    { numRuns },
  );
}, 300_000);
