import assert from "node:assert/strict";
import {
  beginTurn,
  continueTurn,
  type Effect,
  type Input,
  type Machine,
  type StoredMessage,
  summaryIdOf,
  summaryMessage,
} from "@muster/engine";
import {
  ask,
  CompactionTally,
  contextManagement,
  type Happening,
  happenings,
  inFlight,
  inputFor,
  keeperEntry,
  open,
  programOf,
  promptOf,
  say,
  serialize,
  tinyEnvironment,
  toolNames,
} from "@muster/engine/testing";
import type { InteractiveProgram } from "@muster/language";
import { createIds, ManualClock, silentLogger } from "@muster/service";
import fc from "fast-check";
import { test } from "vitest";
import { type ChunkDocument, chunkId } from "../../store/chunk-store.ts";
import { inDocument, type SessionDocument } from "../../store/session-document.ts";
import { readingOf } from "../../turns/trigger/load-turn.ts";
import { newHead } from "./head.ts";
import { createHistories, type Histories, type OpenedConversation } from "./histories.ts";
import { createHistoryCache } from "./history-cache.ts";
import type { HistoryDependencies } from "./turn-history.ts";

/** `npm run test:long` runs ten times as many cases. */
const numRuns = 100 * Number(process.env.LONG_RUN ?? 1);

const library = new Map([keeperEntry]);
const isPrivate = { visible: false, display: "hidden" } as const;

/** Triggers that read different parts of the conversation. */
const program: fc.Arbitrary<InteractiveProgram> = fc
  .record({
    main: contextManagement(["keeper"]),
    side: contextManagement(["keeper"]),
    todoList: fc.boolean(),
  })
  .map(({ main, side, todoList }) => {
    const tools = Object.fromEntries(toolNames.map((name) => [name, "stream" as const]));
    const agent = { contextManagement: main, todoList };
    const words = promptOf("", "TEXT");
    const asks = say("", { prompt: words });
    const opensSide = open("side", { contextManagement: side });
    const handlers = {
      chat: [asks, ask()],
      instructed: [say("Be brief.", { role: "system" }), asks, ask()],
      hidden: [say("", { prompt: words, ...isPrivate }), ask({ display: "hidden" })],
      aside: [asks, ask({ independent: true }), ask()],
      side: [opensSide, say("", { prompt: words, thread: "side" }), ask({ thread: "side" })],
      both: [asks, ask(), opensSide, say("", { prompt: words, thread: "side" }), ask({ thread: "side" })],
      titled: [open("title"), say("", { prompt: words, thread: "title" }), ask({ thread: "title" })],
      copied: [serialize("main", "COPY"), say("", { prompt: promptOf("", "COPY"), ...isPrivate }), ask()],
      told: [asks],
    };
    const base = programOf({ blocks: [], agent, tools });
    const { go = { input: {} } } = base.triggers;
    return {
      ...base,
      triggers: Object.fromEntries(Object.keys(handlers).map((name) => [name, go])),
      handlers: Object.fromEntries(
        Object.entries(handlers).map(([name, blocks]) => [
          name,
          blocks.map((block, index) => ({ ...block, id: `${name}/${index}` })),
        ]),
      ),
    };
  });

const trigger = fc.oneof(
  { weight: 10, arbitrary: fc.constant("chat") },
  {
    weight: 6,
    arbitrary: fc.constantFrom("instructed", "hidden", "aside", "side", "both", "titled", "copied", "told"),
  },
);

/** `on`: the instance that took part before and may have cached something. */
type Operation = { on: 0 | 1 } & (
  | {
      type: "turn";
      trigger: string;
      length: number;
      script: Happening[];
      /** A share of the messages that users see. Null: to the beginning. */
      rollback: number | null | undefined;
      /** The process dies before this happening. */
      deathAt: number | undefined;
    }
  | { type: "continue"; script: Happening[]; deathAt: number | undefined }
  | { type: "restore"; count: number }
);

const on = fc.constantFrom<0 | 1>(0, 1);
const deathAt = fc.option(fc.nat(20), { nil: undefined, freq: 3 });
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constant("turn" as const),
      on,
      trigger,
      length: fc.integer({ min: 1, max: 400 }),
      script: happenings,
      rollback: fc.oneof(
        { weight: 8, arbitrary: fc.constant(undefined) },
        { weight: 3, arbitrary: fc.double({ min: 0.7, max: 1, noNaN: true }) },
        { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
        { weight: 1, arbitrary: fc.constant(null) },
      ),
      deathAt,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant("continue" as const), on, script: happenings, deathAt }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("restore" as const), on, count: fc.nat(20) }) },
);

/** The archived messages, as the store has them. */
class Disk {
  readonly #chunks = new Map<string, ChunkDocument>();

  readonly chunks: HistoryDependencies["chunks"] = {
    insert: async ({ projectId, sessionId }, chunk, createdAt) => {
      const _id = chunkId(sessionId, chunk.gen, chunk.first, chunk.first + chunk.count);
      const before = this.#chunks.get(_id);
      if (before !== undefined) assert.equal(before.messages, chunk.messages, "a chunk never changes");
      this.#chunks.set(_id, { _id, projectId, sessionId, ...chunk, createdAt });
    },
    before: async (_key, range, id) =>
      this.#of(range.gen)
        .filter((chunk) => chunk._id < id)
        .reverse()
        .slice(0, 2),
    from: async (_key, range, id, limit = 2) =>
      this.#of(range.gen)
        .filter((chunk) => chunk._id > id)
        .slice(0, limit),
    containing: async (_key, id) =>
      [...this.#chunks.values()].filter(({ shownIds }) => shownIds.includes(id)),
    mentioning: async () => [],
  };

  #of(gen: string): ChunkDocument[] {
    const chunks = [...this.#chunks.values()].filter((chunk) => chunk.gen === gen);
    return chunks.sort((one, other) => (one._id < other._id ? -1 : 1));
  }
}

/** One of the processes that run the same turn. */
interface Runner {
  opened: OpenedConversation;
  machine: Machine;
}

const tally = new CompactionTally();
const partial = {
  "starts a turn": 0,
  "rolls back": 0,
  "continues a turn": 0,
  "loads the rest for a rollback": 0,
};

const clock = new ManualClock();

/** A session whose turns run in three processes at once, which must not differ. */
class World {
  readonly #program: InteractiveProgram;
  readonly #disk = new Disk();
  readonly #warm = [createHistoryCache(1_000_000), createHistoryCache(1_000_000)] as const;
  #session: SessionDocument;
  #count = 0;
  #executions = 0;

  constructor(definition: InteractiveProgram) {
    this.#program = definition;
    const now = new Date(0);
    this.#session = {
      ...{
        _id: "ses_1",
        projectId: "prj_1",
        agentId: "agt_1",
        agentVersion: 1,
        status: "active",
        input: "{}",
      },
      head: [...newHead(createIds())],
      ...inDocument({ messages: [], variables: {}, resources: {} }),
      ...{ title: null, messageCount: 0, createdAt: now, updatedAt: now, expiresAt: null, epoch: 0 },
      ...{ lease: null, execution: null },
    };
  }

  async perform(operation: Operation): Promise<void> {
    if (operation.type === "restore") return this.#restore(operation.count);
    const frame = this.#session.execution && JSON.parse(this.#session.execution.frame);
    if (operation.type === "continue") {
      if (frame === null) return;
      return this.#run(
        operation,
        await this.#continued(operation.on, frame),
        continuing(frame, operation.script),
      );
    }
    const started = await this.#started(operation);
    await this.#run(operation, started, { type: "start" });
  }

  /** The messages are loaded as a whole by the first process, by the second as read, and by the third as far as it needs more. */
  async #open(on: 0 | 1, triggerName: string): Promise<OpenedConversation[]> {
    const reading = readingOf(this.#program, triggerName);
    const whole = await this.#histories(createHistoryCache(1)).open(this.#session);
    const cold = await this.#histories(createHistoryCache(1)).open(this.#session, reading);
    const warm = await this.#histories(this.#warm[on]).open(this.#session, reading);
    return [whole, cold, warm];
  }

  #histories(cache: HistoryDependencies["cache"]): Histories {
    let count = this.#count;
    return createHistories({
      ...{ chunks: this.#disk.chunks, cache, clock, log: silentLogger, archiveLength: 500 },
      newId: (prefix) => `${prefix}_new_${++count}`,
      pause: async () => undefined,
    });
  }

  async #started({ on, trigger, length, rollback }: Extract<Operation, { type: "turn" }>): Promise<Runner[]> {
    const all = await this.#open(on, trigger);
    const [whole, cold] = all;
    const ids = (whole?.conversation.messages ?? []).flatMap(({ audience, id, partOf }) =>
      audience === "everyone" ? (partOf ?? id) : [],
    );
    if (typeof this.#session.summaryAt === "number") ids.push(summaryIdOf(this.#session._id));
    if (cold?.conversation.loadedFrom !== undefined) partial["starts a turn"] += 1;
    const at =
      rollback === null || rollback === undefined ? null : (ids[Math.floor(rollback * ids.length)] ?? null);
    this.#executions += 1;
    const executionId = `exe_${this.#executions}`;
    const runners: Runner[] = [];
    for (const opened of all) {
      if (rollback !== undefined) {
        const before = opened.conversation.loadedFrom;
        assert.equal(await opened.rollBack("msg_unknown"), false);
        assert.ok(await opened.rollBack(at));
        if (opened === cold && before !== undefined && at !== null) {
          if (opened.conversation.loadedFrom !== undefined) partial["rolls back"] += 1;
          else partial["loads the rest for a rollback"] += 1;
        }
      }
      const { conversation, finalLength } = opened;
      const machine = beginTurn(
        {
          ...{ program: this.#program, conversation, finalLength, executionId, sessionInput: {} },
          ...{ triggerName: trigger, triggerInput: { TEXT: "word ".repeat(length) }, dynamicTools: [] },
          workers: library,
        },
        tinyEnvironment(this.#count, 100),
      );
      runners.push({ opened, machine });
    }
    return runners;
  }

  async #continued(on: 0 | 1, frame: Machine["frame"]): Promise<Runner[]> {
    const all = await this.#open(on, frame.triggerName);
    if (all[1]?.conversation.loadedFrom !== undefined) partial["continues a turn"] += 1;
    return all.map((opened) => {
      const { conversation } = opened;
      const environment = tinyEnvironment(this.#count, 100);
      const own = structuredClone(frame);
      const state = { conversation, frame: own, sessionInput: {}, workers: library };
      return { opened, machine: continueTurn({ program: this.#program, ...state }, environment) };
    });
  }

  async #run(
    { script, deathAt = Number.POSITIVE_INFINITY }: { script: Happening[]; deathAt: number | undefined },
    runners: Runner[],
    first: Input | undefined,
  ): Promise<void> {
    this.#count += 1_000;
    if (first === undefined) return;
    if (await this.#take(runners, first)) return;
    for (const [index, happening] of script.entries()) {
      const [{ machine } = assert.fail()] = runners;
      if (index >= deathAt) return;
      if (happening.type === "abort" && machine.frame.phase === "waiting") continue;
      const input = inputFor(machine, happening);
      if (input === undefined) continue;
      if (await this.#take(runners, input)) return;
    }
    await this.#take(runners, { type: "abort" });
  }

  /** True if the turn has ended or paused. */
  async #take(runners: readonly Runner[], input: Input): Promise<boolean> {
    const all = runners.map(({ machine }) => machine.advance(input));
    const [effects = []] = all;
    for (const other of all) assert.deepEqual(other, effects, "every process calls its models alike");
    tally.take(effects);
    const end = effects.find(isEnd);
    if (end !== undefined || effects.some(({ type }) => type === "save")) await this.#save(runners, end);
    return end !== undefined;
  }

  async #save(runners: readonly Runner[], end: Extract<Effect, { type: "end" }> | undefined): Promise<void> {
    const state = end === undefined ? "running" : "paused";
    const snapshots = [];
    for (const { opened, machine } of runners) {
      await opened.history.idle();
      snapshots.push(opened.history.snapshot(machine.conversation));
    }
    const [{ fields } = assert.fail(), ...others] = snapshots;
    for (const other of others) assert.deepEqual(other.fields, fields, "every process stores the same");
    const { frame } = runners[0]?.machine ?? assert.fail();
    const isOver = end !== undefined && end.outcome !== "paused";
    const execution = { id: frame.executionId, state, frame: JSON.stringify(frame) } as const;
    this.#session = { ...this.#session, ...fields, execution: isOver ? null : execution };
    if (end !== undefined) await this.#assertShown(runners[0]?.machine.conversation.messages ?? []);
    for (const [index, { opened }] of runners.entries()) {
      opened.history.written(snapshots[index] ?? assert.fail());
      opened.history.archive();
    }
  }

  /** Readers get the running summary of the main thread and the messages after it, or everything. */
  async #assertShown(all: readonly StoredMessage[]): Promise<void> {
    const { _id, createdAt } = this.#session;
    const last = all.findLast(({ summary, thread }) => summary !== undefined && thread === "main")?.summary;
    const shown =
      last === undefined
        ? all
        : [summaryMessage(last, summaryIdOf(_id), createdAt), ...all.slice(last.through)];
    const histories = this.#histories(createHistoryCache(1));
    const forwards: unknown[] = [];
    const backwards: unknown[] = [];
    for await (const { text } of histories.partsOf(this.#session)) forwards.push(...JSON.parse(text));
    for await (const { text } of histories.partsBefore(this.#session, undefined))
      backwards.unshift(...JSON.parse(text));
    assert.deepEqual(forwards, JSON.parse(JSON.stringify(shown)));
    assert.deepEqual(backwards, forwards);
  }

  async #restore(count: number): Promise<void> {
    const messages = Array.from({ length: count }, (_, index): StoredMessage => {
      const about = { thread: "main", audience: "everyone", status: "done", createdAt: "" } as const;
      const text = `${index} ${"word ".repeat(index * 10)}`;
      const parts = [{ type: "text", text, status: "done" } as const];
      return { id: `msg_r${index}`, role: index % 2 === 0 ? "user" : "assistant", ...about, parts };
    });
    const conversation = { messages, variables: {}, resources: {} };
    const histories = this.#histories(this.#warm[0]);
    const fields = await histories.prepare(
      { projectId: "prj_1", sessionId: "ses_1" },
      conversation,
      async () => {},
    );
    this.#session = { ...this.#session, ...fields, execution: null };
    this.#count += 1_000;
  }
}

function isEnd(effect: Effect): effect is Extract<Effect, { type: "end" }> {
  return effect.type === "end";
}

/** The happenings that continue a turn: after a pause the results, after a death the call in flight. */
function continuing(frame: Machine["frame"], script: readonly Happening[]): Input | undefined {
  const machine = { frame } as Pick<Machine, "frame">;
  if (frame.phase === "waiting") {
    const results = script.find(({ type }) => type === "results") ?? { type: "results", mask: 0 };
    return inputFor(machine as Machine, results);
  }
  return inFlight(machine).length === 0 ? undefined : { type: "repeat-calls", lostEvents: 1_024 };
}

test("a process that loads a conversation only from its latest summary on sends, shows and stores exactly what one with all messages does, whatever turns, rollbacks, deaths and restores preceded", async () => {
  let cases = 0;
  const property = fc.asyncProperty(
    program,
    fc.array(operation, { minLength: 1, maxLength: 12, size: "max" }),
    async (definition, operations) => {
      const world = new World(definition);
      for (const operation of operations) await world.perform(operation);
      tally.endCase();
      cases += 1;
    },
  );
  await fc.assert(property, { numRuns });
  tally.check(cases);
  for (const [what, count] of Object.entries(partial))
    assert.ok(
      count >= Math.floor(numRuns / 1_000) * 20,
      `a conversation that is not whole ${what} only ${count} times in ${numRuns} cases`,
    );
}, 600_000);
