import assert from "node:assert/strict";
import type { UiMessage } from "@muster/client";
import { foldEvents } from "@muster/client/fold";
import type { Program } from "@muster/language";
import fc from "fast-check";
import { test } from "vitest";
import { CompactionTally, earlierTurns, tinyEnvironment } from "../test/support/arbitrary-contexts.ts";
import {
  type Happening,
  happenings,
  inFlight,
  inputFor,
  isRunning,
} from "../test/support/arbitrary-happenings.ts";
import { libraryOf, program } from "../test/support/arbitrary-programs.ts";
import { openCall, remotesIn } from "../test/support/arbitrary-remotes.ts";
import { checkPrompt } from "../test/support/check-prompt.ts";
import { beginningOf, eventsOf } from "../test/support/play.ts";
import { withoutApprovals } from "../test/support/without-approvals.ts";
import type { Phase } from "./boundary/frame.ts";
import type { Effect, Input, Machine, ModelCall, OpenCall } from "./boundary/machine.ts";
import { beginTurn, continueTurn } from "./machine/begin-turn.ts";
import type { StreamEvent } from "./shown/events.ts";
import { toUiMessages } from "./shown/ui-messages.ts";

/** `npm run test:long` runs ten times as many cases. */
const numRuns = 400 * Number(process.env.LONG_RUN ?? 1);

/** How many remote calls waited when their process died. */
const remotes = { unsent: 0, repeated: 0, unknown: 0, open: 0 };

const tally = new CompactionTally();

type Stored = Pick<Machine, "conversation" | "frame">;
type Waiting = ReturnType<typeof remotesIn>;
type Environment = ReturnType<typeof tinyEnvironment>;

/** A process that runs a turn, and the store. */
interface World {
  definition: Program;
  environment: Environment;
  machine: Machine;
  /** The latest state of the store; undefined before the first. */
  stored: Stored | undefined;
  /** Begins the current response again; undefined once it has been stored. */
  beginning: { count: number; input: Input } | undefined;
  /** The model calls in flight, by worker. */
  calls: Map<string | undefined, ModelCall>;
  /** Those of the stored state or the beginning. */
  storedCalls: ModelCall[];
  /** The ids of the remote calls that have been made, by any process. */
  made: Set<string>;
  /** All events of the earlier responses. */
  earlier: StreamEvent[];
  /** The events of the current response. */
  events: StreamEvent[];
  /** So many of these are known when the process dies. */
  known: number;
}

function start(definition: Program): World {
  const environment = tinyEnvironment();
  const machine = newMachine(definition, environment);
  const nothing = {
    ...{ stored: undefined, calls: new Map(), storedCalls: [], made: new Set<string>() },
    ...{ earlier: [], events: [], known: 0 },
  };
  const input: Input = { type: "start" };
  const world: World = { definition, environment, machine, ...nothing, beginning: { count: 0, input } };
  take(world, input);
  return world;
}

function newMachine(definition: Program, environment: Environment): Machine {
  return beginTurn(
    {
      program: definition,
      conversation: earlierTurns(definition),
      executionId: "exe_1",
      ...beginningOf(definition, "words"),
      dynamicTools: [],
      workers: libraryOf(definition),
    },
    environment,
  );
}

function storedMachine({ definition, stored }: World, environment: Environment): Machine {
  assert.ok(stored);
  const { sessionInput } = beginningOf(definition, "words");
  const workers = libraryOf(definition);
  return continueTurn({ program: definition, sessionInput, workers, ...copy(stored) }, environment);
}

/** Carries out an input. `dies`: before the effects are stored. */
function take(world: World, input: Input, dies = false): void {
  const effects = world.machine.advance(input);
  tally.take(effects);
  if (isContinuation(input)) {
    world.earlier.push(...world.events);
    world.events = [];
    world.storedCalls = [];
    world.known = 0;
  }
  // The last events of a turn leave only after it is stored.
  world.events.push(...effects.flatMap((effect) => (dies && effect.type === "end" ? [] : eventsOf(effect))));
  if (dies) return;
  for (const effect of effects) {
    if (effect.type === "call-model") world.calls.set(effect.workerId, effect.call);
    if (effect.type === "call-remote") makeOnce(world, effect.call.toolCallId);
  }
  if (effects.some(isStored)) store(world);
  else if (world.beginning?.input === input) world.storedCalls = callsOf(world);
}

function makeOnce({ made }: World, toolCallId: string): void {
  assert.ok(!made.has(toolCallId), "a remote call is made once");
  made.add(toolCallId);
}

function isContinuation({ type }: Input): boolean {
  return type === "tool-results" || type === "decisions";
}

function isPaused(phase: Phase): boolean {
  return phase === "waiting" || phase === "asking";
}

/** The latest calls of each step. */
function callsOf({ machine, calls }: World): ModelCall[] {
  return inFlight(machine).flatMap((workerId) => calls.get(workerId) ?? []);
}

function store(world: World): void {
  const { conversation, frame } = world.machine;
  world.stored = copy({ conversation, frame });
  world.beginning = undefined;
  world.known = world.events.length;
  world.storedCalls = callsOf(world);
}

function isStored({ type }: Effect): boolean {
  return type === "save" || type === "end";
}

/** When the process dies. `remote`: only while remote calls wait, or before the approved ones are made. */
interface Death {
  from: number;
  remote: boolean;
}

const never: Death = { from: Infinity, remote: false };

/** Plays the script from an index on. */
function play(world: World, script: readonly Happening[], from: number, death = never): number {
  for (let index = from; index < script.length; index += 1) {
    const happening = script[index];
    const isIdle = happening?.type === "abort" && isPaused(world.machine.frame.phase);
    const input = happening && !isIdle ? inputFor(world.machine, happening) : undefined;
    if (input === undefined) continue;
    if (isContinuation(input)) {
      world.beginning = { count: world.environment.count, input };
    }
    const isAtRisk = death.remote
      ? remotesIn(world.machine).length > 0 || input.type === "decisions"
      : isRunning(world.machine);
    const dies = index >= death.from && isAtRisk;
    take(world, input, dies);
    if (dies) return index + 1;
  }
  return script.length;
}

/** Another process continues. Returns the events that every reader has: the known ones, and those that follow. */
function adopt(world: World): { known: StreamEvent[]; calls: ModelCall[] } {
  const { beginning, definition } = world;
  const environment = tinyEnvironment(beginning?.count ?? 0);
  let known = world.events.slice(0, world.known);
  if (beginning === undefined) world.machine = storedMachine(world, environment);
  else {
    const isNew = beginning.input.type === "start";
    world.machine = isNew ? newMachine(definition, environment) : storedMachine(world, environment);
    const first = world.machine.advance(beginning.input);
    known = first.flatMap((effect) => (effect.type === "emit" ? effect.event : []));
    assert.deepEqual(world.events.slice(0, known.length), known, "the first events are the same");
  }
  environment.count = 100_000;
  world.environment = environment;
  const isUnsent = beginning !== undefined;
  const waiting = remotesIn(world.machine);
  // The driver has stored that a service has accepted some of the calls: they have no outcome that a reader could have seen.
  const ended = new Set(
    world.events.flatMap((event) =>
      event.type === "tool-output-available" || event.type === "tool-output-error" ? event.toolCallId : [],
    ),
  );
  const accepted = waiting.filter(
    ({ toolCallId }, index) => !isUnsent && index % 3 === 1 && !ended.has(toolCallId),
  );
  const open = new Map(accepted.map(({ toolCallId }) => [toolCallId, openCall(toolCallId)]));
  const lostEvents = world.events.length + 1_024;
  const effects = world.machine.advance({ type: "repeat-calls", lostEvents, isUnsent, open });
  checkRemoteCalls(world, waiting, effects, isUnsent, open);
  const calls = effects.flatMap((effect) => (effect.type === "call-model" ? effect.call : []));
  const hasUnknown = open.size > 0 || waiting.some(({ isRepeatable }) => !isRepeatable && !isUnsent);
  if (!hasUnknown) {
    const types = effects.map((effect) => (effect.type === "emit" ? effect.event.type : effect.type));
    assert.ok(types.every((type) => ["step-discard", "call-model", "call-remote"].includes(type)));
    assert.ok(types.length > 0);
  }
  world.events = effects.flatMap(eventsOf);
  for (const effect of effects)
    if (effect.type === "call-model") world.calls.set(effect.workerId, effect.call);
  if (effects.some(isStored)) store(world);
  return { known, calls: hasUnknown ? [] : calls };
}

/** Only calls that were never sent, or that change nothing, are made; the model reads that the outcome of the others is unknown. */
function checkRemoteCalls(
  world: World,
  waiting: Waiting,
  effects: Effect[],
  isUnsent: boolean,
  open: ReadonlyMap<string, OpenCall>,
): void {
  const again = effects.flatMap((effect) => (effect.type === "call-remote" ? effect.call.toolCallId : []));
  for (const { toolCallId, isRepeatable, part } of waiting) {
    if (open.has(toolCallId)) {
      remotes.open += 1;
      const cannotWait = part.error?.includes("which this execution cannot wait for") === true;
      assert.equal(part.status, cannotWait ? "error" : "running", "it waits for its service, or cannot");
      assert.ok(!again.includes(toolCallId));
      continue;
    }
    remotes[isUnsent ? "unsent" : isRepeatable ? "repeated" : "unknown"] += 1;
    const isMade = again.includes(toolCallId);
    assert.equal(isMade, isUnsent || isRepeatable);
    if (!isMade) assert.match(part.error ?? "", /outcome of this call is unknown/);
    if (isUnsent) makeOnce(world, toolCallId);
  }
  const known = new Set(waiting.map(({ toolCallId }) => toolCallId));
  for (const id of again) if (!known.has(id)) makeOnce(world, id);
}

function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

function check(definition: Program, script: Happening[], death: Death, early: boolean): boolean {
  const world = start(definition);
  const next = play(world, script, 0, { ...death, from: death.from % (script.length + 1) });
  if (!isRunning(world.machine)) return false;
  if ((world.beginning === undefined && !isAdoptable(world)) || next === script.length) return false;
  // The first step of a response can be stored while it runs, and any step when its process stops.
  if (early && isRunning(world.machine)) store(world);
  const { earlier, events: sent, storedCalls: lost } = world;
  const { known, calls } = adopt(world);
  if (!early && lost.length > 0 && calls.length > 0)
    assert.deepEqual(
      comparableCalls(calls, lost),
      lost,
      "the same calls are made again, and the log says the same of them",
    );
  for (const call of calls) checkPrompt(call.options.prompt);
  const before = earlier.length;
  play(world, script, next);
  if (isRunning(world.machine)) take(world, { type: "abort" });
  const after = [...world.earlier.slice(before), ...world.events];
  const shown = comparable(toUiMessages(world.machine.conversation, { view: "ui" }));
  for (let length = known.length; length <= sent.length; length += 1) {
    const all = [...earlier.slice(0, before), ...sent.slice(0, length), ...after];
    assert.deepEqual(folded(all), shown, `a reader that has seen ${length} of ${sent.length} events`);
  }
  checkIds([...earlier.slice(0, before), ...sent, ...after]);
  checkBlocks([...earlier.slice(0, before), ...known, ...after]);
  return true;
}

/** The stored turn runs. */
function isAdoptable({ stored }: World): boolean {
  return stored !== undefined && ["model", "parked"].includes(stored.frame.phase);
}

/**
 * A repair, or a call of the backup model, also logs the summary before the first call of its step again: the process
 * may have died before it was logged.
 */
function comparableCalls(calls: readonly ModelCall[], lost: readonly ModelCall[]): ModelCall[] {
  return calls.map((call, index) => {
    if (lost[index]?.compactions !== undefined) return call;
    const { compactions: _, ...rest } = call;
    return rest;
  });
}

/**
 * The messages that a client shows for the turn. The stream does not contain the time at which a turn's message was
 * created.
 */
function folded(events: readonly StreamEvent[]) {
  return comparable(foldEvents(events, { view: "stored" }));
}

function comparable(messages: readonly UiMessage[]) {
  return withoutApprovals(messages)
    .filter(({ id, parts }) => parts.length > 0 && !id.startsWith("msg_old"))
    .map(({ createdAt: _, ...message }) => message);
}

/** Every block that began has ended, whichever process ran it. */
function checkBlocks(events: readonly StreamEvent[]): void {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === "block-start") open.add(event.blockId);
    if (event.type === "block-end") assert.ok(open.delete(event.blockId), `${event.blockId} is not open`);
  }
  assert.deepEqual([...open], []);
}

/** Calls are requested once, and no id names two things. */
function checkIds(events: readonly StreamEvent[]): void {
  const ids = events.flatMap((event) => {
    if (event.type === "tool-request")
      return event.toolCalls.map(({ toolCallId }) => `request ${toolCallId}`);
    if (event.type === "tool-input-start") return event.toolCallId;
    if (event.type === "block-start") return event.blockId;
    if (event.type === "worker-start") return event.workerId;
    const isStart =
      event.type === "text-start" || event.type === "reasoning-start" || event.type === "source";
    return isStart ? event.id : [];
  });
  assert.deepEqual(ids, [...new Set(ids)]);
}

test("wherever a process dies, all events that a reader has seen fold into the session's state", () => {
  let adopted = 0;
  const property = fc.property(
    program.filter(({ format }) => format === "interactive"),
    happenings,
    fc.record({ from: fc.nat(200), remote: fc.boolean() }),
    fc.boolean(),
    (definition, script, death, early) => {
      const isAdopted = check(definition, script, death, early);
      if (isAdopted) adopted += 1;
      tally.endCase(isAdopted);
    },
  );
  fc.assert(property, { numRuns });
  assert.ok(adopted > numRuns / 10, `only ${adopted} turns were adopted`);
  // With few cases, chance decides; unsent calls are rare.
  const { unsent: _, ...often } = remotes;
  if (numRuns >= 1_000)
    for (const count of Object.values(often)) assert.ok(count > 0, JSON.stringify(remotes));
  tally.check(adopted);
});
