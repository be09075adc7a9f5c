import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { approvalOf, isJsonObject, type Program } from "@muster/language";
import type { UiPart } from "@muster/wire/events";
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
import { libraryOf, program, threadNames } from "../test/support/arbitrary-programs.ts";
import { checkPrompt } from "../test/support/check-prompt.ts";
import { checkStream, checkWorkerStreams, liveText } from "../test/support/check-stream.ts";
import { beginningOf, eventsOf } from "../test/support/play.ts";
import type { PendingApproval } from "./boundary/frame.ts";
import type { Effect, Input, Machine } from "./boundary/machine.ts";
import type { Conversation } from "./conversation/conversation.ts";
import { finalLength, settle } from "./conversation/messages.ts";
import { beginTurn, continueTurn } from "./machine/begin-turn.ts";
import { toPrompt } from "./prompt/prompt.ts";
import { serializedMarkdown } from "./prompt/serialize.ts";
import { fromUiMessages } from "./restore/restore-messages.ts";
import type { StreamEvent } from "./shown/events.ts";
import { toUiMessages } from "./shown/ui-messages.ts";

/** `npm run test:long` runs ten times as many cases. */
const numRuns = 400 * Number(process.env.LONG_RUN ?? 1);
const dynamicTools = [{ name: "dynamic", description: "Dynamic", inputSchema: { type: "object" } }];

interface Run {
  machine: Machine;
  /** Effects of each input, in order. */
  steps: { input: Input; effects: Effect[] }[];
}

function newMachine(definition: Program, conversation: Conversation, environment = environmentFrom()) {
  return beginTurn(
    {
      program: definition,
      conversation,
      executionId: "exe_1",
      ...beginningOf(definition, "words"),
      dynamicTools,
      workers: libraryOf(definition),
    },
    environment,
  );
}

let tally = new CompactionTally();

/** Runs to the end; calls `look` after each input. */
function run(
  machine: Machine,
  script: Happening[],
  look: (step: Run["steps"][number]) => void = () => {},
): Run {
  const steps: Run["steps"] = [];
  const take = (input: Input) => {
    const step = { input, effects: machine.advance(input) };
    tally.take(step.effects);
    steps.push(step);
    look(step);
  };
  take({ type: "start" });
  for (const happening of script) {
    const input = inputFor(machine, happening);
    if (input !== undefined) take(input);
  }
  if (machine.frame.phase !== "over") take({ type: "abort" });
  return { machine, steps };
}

/** The events of each stream. A continued turn begins a new one. */
function streamsOf({ steps }: Run): StreamEvent[][] {
  const streams: StreamEvent[][] = [];
  for (const { effects } of steps) {
    const events = effects.flatMap(eventsOf);
    if (events[0]?.type === "start") streams.push([]);
    streams.at(-1)?.push(...events);
  }
  return streams;
}

/** Each case is run with turns that are stored in pieces, or not. */
let sealLength: number | undefined;
const sealLengths = fc.constantFrom(undefined, 1, 100);

type Script = Happening[];
type Check = (definition: Program, script: Script) => void;

function propertyOf(check: Check) {
  return fc.property(program, happenings, sealLengths, (definition, script, length) => {
    sealLength = length;
    check(definition, script);
  });
}

/** Drawing a case takes as long as running it, so all properties are checked with the same ones. */
const seed = randomInt(2 ** 31);
const cases: Array<[Program, Script, number | undefined]> = [];
// For a path, `fc.assert` draws the cases again that it drew before; `fc.sample` draws other ones.
fc.assert(
  propertyOf((definition, script) => cases.push([definition, script, sealLength])),
  { seed, numRuns },
);

function holds(title: string, check: Check): void {
  test(title, () => {
    tally = new CompactionTally();
    for (const [index, [definition, script, length]] of cases.entries()) {
      sealLength = length;
      try {
        check(definition, script);
      } catch {
        reportFailure(check, index);
      }
      tally.endCase();
    }
    tally.check(cases.length);
  });
}

function reportFailure(check: Check, index: number): never {
  // Draws the case again, and makes it as small as possible.
  fc.assert(propertyOf(check), { seed, path: String(index), numRuns: 1 });
  assert.fail(`only fails after other cases: seed ${seed}, path ${index}`);
}

type CheckOfRun = (played: Run, definition: Program, script: Script) => void;

const playCase = (definition: Program, script: Script) =>
  run(newMachine(definition, earlierTurns(definition)), script);

/** With the first case in which each fails. */
const checksOfRuns: { check: CheckOfRun; failedAt?: number }[] = [];

/** Playing the cases takes most of the time, so all properties that only read a whole run share the same ones. */
const checkRuns = once(() => {
  tally = new CompactionTally();
  for (const [index, [definition, script, length]] of cases.entries()) {
    sealLength = length;
    const play = once(() => playCase(definition, script));
    for (const each of checksOfRuns) {
      if (each.failedAt !== undefined) continue;
      try {
        each.check(play(), definition, script);
      } catch {
        each.failedAt = index;
      }
    }
    tally.endCase();
  }
  return tally;
});

/** Like {@link holds}, for a check that only reads a whole run and leaves it unchanged. */
function holdsAfterRun(title: string, check: CheckOfRun): void {
  const own: (typeof checksOfRuns)[number] = { check };
  checksOfRuns.push(own);
  test(title, () => {
    const seen = checkRuns();
    if (own.failedAt !== undefined)
      reportFailure(
        (definition, script) => check(playCase(definition, script), definition, script),
        own.failedAt,
      );
    seen.check(cases.length);
  });
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function environmentFrom(count = 0) {
  return tinyEnvironment(count, sealLength);
}

function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

const empty = (): Conversation => ({ messages: [], variables: {}, resources: {} });

holdsAfterRun(
  "every stream is well-formed, whatever the model, caller and network do",
  (played, definition) => {
    const streams = streamsOf(played);
    for (const events of streams) checkStream(events);
    if (definition.format === "worker") checkWorkerStreams(streams);
  },
);

holds(
  "what a list of effects calls or ends comes last, after everything that it emits and stores, and the turn never stands still",
  (definition, script) => {
    const machine = newMachine(definition, earlierTurns(definition));
    run(machine, script, ({ effects }) => {
      const types = effects.map(({ type }) => type);
      const first = types.findIndex((type) => isCall(type) || type === "end");
      const last = first < 0 ? [] : types.slice(first);
      assert.ok(last[0] === "end" ? last.length === 1 : last.every(isCall));
      const save = types.indexOf("save");
      if (types.includes("call-remote")) assert.ok(save >= 0, "a remote call is stored before it is made");
      if (save >= 0) assert.ok(!types.slice(save).includes("emit"));
      const isWaiting = ["waiting", "asking", "over"].includes(machine.frame.phase);
      assert.equal(!isRunning(machine), isWaiting);
      if (machine.frame.phase === "waiting") assert.ok(!isFolding(machine), "no summary waits for a caller");
    });
  },
);

function isCall(type: Effect["type"]): boolean {
  return type === "call-model" || type === "call-remote";
}

function isFolding({ frame }: Machine): boolean {
  const frames = [frame, ...(frame.workers ?? []).map((run) => run.frame)];
  return frames.some(({ open }) => open?.fold !== undefined);
}

holdsAfterRun(
  "the same inputs and ids produce the same effects and the same state",
  (played, definition, script) => {
    const again = playCase(definition, script);
    assert.deepEqual(again.steps, played.steps);
    assert.deepEqual(again.machine.conversation, played.machine.conversation);
  },
);

holds(
  "a machine restored from the store continues exactly like the one that was stored",
  (definition, script) => {
    const environment = environmentFrom();
    const machine = newMachine(definition, earlierTurns(definition), environment);
    let twin: Machine | undefined;
    run(machine, script, ({ input, effects }) => {
      // Only the machine that has made a call knows how long its prompt was.
      if (isRefusal(input)) twin = undefined;
      if (twin !== undefined) assert.deepEqual(twin.advance(input), effects);
      // A call in the middle of a step is only ever repeated.
      const begun = effects.filter(({ type }) => type === "call-model").length;
      if (begun < inFlight(machine).length) twin = undefined;
      if (!effects.some(isBoundary) || begun < inFlight(machine).length) return;
      const stored = copy({ conversation: machine.conversation, frame: machine.frame });
      assert.deepEqual(stored, { conversation: machine.conversation, frame: machine.frame });
      twin = continueTurn(
        {
          program: definition,
          sessionInput: beginningOf(definition, "words").sessionInput,
          workers: libraryOf(definition),
          ...stored,
        },
        environmentFrom(environment.count),
      );
    });
  },
);

function isRefusal(input: Input): boolean {
  return input.type === "model-failed" && input.failure.isTooLong;
}

function isBoundary(effect: Effect): boolean {
  return effect.type === "save" || (effect.type === "end" && ["paused", "asking"].includes(effect.outcome));
}

holds("no later input or turn changes, moves or removes a message that is final", (definition, script) => {
  const environment = environmentFrom();
  let final: string[] = [];
  const look = ({ messages }: Conversation) => {
    const now = messages.slice(0, finalLength(messages)).map((message) => JSON.stringify(message));
    assert.deepEqual(now.slice(0, final.length), final);
    final = now;
  };
  const first = newMachine(definition, earlierTurns(definition), environment);
  run(first, script.slice(0, script.length / 2), () => look(first.conversation));
  // The second machine begins as if the first turn's process had died.
  const second = newMachine(definition, copy(first.conversation), environment);
  run(second, script, () => look(second.conversation));
});

holds(
  "users see and models are sent the same, in however many pieces a turn is stored",
  (definition, script) => {
    const [whole, pieces] = [undefined, sealLength ?? 1].map((length) => {
      const machine = newMachine(definition, earlierTurns(definition), tinyEnvironment(0, length));
      const views: unknown[] = [];
      const { steps } = run(machine, script, () => {
        for (const view of ["full", "ui"] as const) views.push(toUiMessages(machine.conversation, { view }));
      });
      if (steps.some(({ effects }) => effects.some(isCompacted))) return undefined;
      const texts = threadNames.map((thread) =>
        wordsOf(serializedMarkdown(machine.conversation, thread, {})),
      );
      const effects = JSON.stringify(
        steps.map((step) => step.effects),
        (name, value) => (isForOperators(name) ? undefined : value),
      );
      return withoutIds(JSON.stringify([views, texts]) + effects);
    });
    if (whole !== undefined && pieces !== undefined) assert.equal(pieces, whole);
  },
);

/** A warning names the window of a model that has refused a prompt, as estimated from the pieces. */
const isForOperators = (name: string) => name === "warning";

/** Whole messages become part of a summary or are left out, so that the prompt depends on the pieces. */
function isCompacted(effect: Effect): boolean {
  if (effect.type === "note") return isSummarizer(effect.event);
  if (effect.type !== "call-model") return false;
  return effect.call.summary !== undefined || effect.call.compactions !== undefined;
}

function isSummarizer(event: StreamEvent): boolean {
  if (event.type !== "worker-start" || !isJsonObject(event.input)) return false;
  return Object.hasOwn(event.input, "CONVERSATION");
}

/** A piece of a named thread may stand under a heading of its own, if the main thread has written in between. */
function wordsOf(markdown: string): string {
  return markdown.replaceAll("\n\n## Assistant\n\n", "\n\n");
}

/** More pieces have more ids, and the test's time follows the ids. */
function withoutIds(json: string): string {
  return json.replaceAll(/("(?:createdAt|expiresAt)":)(?:\d+|"[^"]*")|([a-z]+)_\d+/g, "$1$2");
}

holdsAfterRun(
  "a call that needs approval is made once at most, and only if it was approved",
  ({ steps }, definition) => {
    const asked = new Map<string, string>();
    const approved = new Set<string>();
    const made = new Set<string>();
    const programs = new Map<string | undefined, Program>([[undefined, definition]]);
    /** The text of an open call from outside comes with its answer. */
    const foreign = new Set<string>();
    let isUntrusted = false;
    /** Whether it was when the latest block or step of each worker made its calls, which are sent later, with others. */
    const wasUntrusted = {
      block: new Map<string | undefined, boolean>(),
      llm: new Map<string | undefined, boolean>(),
    };
    for (const { input, effects } of steps) {
      if (input.type === "model-done") wasUntrusted.llm.set(input.workerId, isUntrusted);
      if (input.type === "remote-outcome" && isForeign(input, steps)) {
        if (input.outcome.type === "open") foreign.add(input.outcome.callId);
        else isUntrusted = true;
      }
      if (input.type === "decisions")
        for (const [id, { status }] of input.decisions) {
          if (status === "approved") approved.add(asked.get(id) ?? "");
          isUntrusted ||= status === "answered" && foreign.has(id);
        }
      for (const effect of effects) {
        if (effect.type === "end" && effect.outcome === "asking")
          for (const { approvalId, toolCallId } of effect.approvals) asked.set(approvalId, toolCallId);
        for (const event of [...eventsOf(effect), ...(effect.type === "note" ? [effect.event] : [])]) {
          if (event.type === "block-start" && event.blockType === "tool-call")
            wasUntrusted.block.set(event.workerId, isUntrusted);
          if (event.type === "worker-start") {
            const worker = libraryOf(definition).get(event.workerSlug);
            if (worker !== undefined && "program" in worker) programs.set(event.workerId, worker.program);
          }
        }
        for (const { toolCallId, toolName, source, workerId } of callsIn(effect)) {
          assert.ok(!made.has(toolCallId), "a call is made once");
          made.add(toolCallId);
          const program = programs.get(workerId);
          // A worker's call of a replaced tool has the name of the caller's, whose rules are not those of the worker's own tool.
          const isReplaced = workerId !== undefined && toolName === "tool-other";
          const rule = program && !isReplaced ? approvalOf(program, toolName) : undefined;
          const isKnown = wasUntrusted[source === "block" ? "block" : "llm"].get(workerId) === true;
          const needs = rule?.when === "always" || (rule !== undefined && isKnown);
          if (needs || [...asked.values()].includes(toolCallId)) assert.ok(approved.has(toolCallId));
        }
      }
    }
  },
);

holdsAfterRun(
  "a call that its service has accepted is made once, waits, and has exactly the outcome that was sent",
  ({ steps, machine }) => {
    const open = new Map<string, PendingApproval>();
    const made: string[] = [];
    for (const { input, effects } of steps) {
      const asked = effects.flatMap((effect) =>
        effect.type === "end" && effect.outcome === "asking" ? effect.approvals : [],
      );
      for (const call of asked) if (call.isOpen) open.set(call.toolCallId, call);
      made.push(...effects.flatMap(callsIn).map(({ toolCallId }) => toolCallId));
      const shown = effects.flatMap(eventsOf).flatMap(outcomeShown);
      if (input.type !== "decisions") continue;
      for (const { toolCallId, approvalId } of open.values()) {
        assert.equal(made.filter((id) => id === toolCallId).length, 1);
        assert.ok(shown.filter((id) => id === toolCallId).length <= 1, "users see one outcome at most");
        const part = partOf(machine, toolCallId);
        const { outcome } = input.decisions.get(approvalId) ?? {};
        // Aside threads and ended workers leave nothing behind.
        if (part === undefined) continue;
        if (outcome?.type === "result") assert.equal(part.status, "done");
        else assert.match(part.error ?? "", outcome?.type === "error" ? /^(res-|found)/ : /did not answer/);
      }
      open.clear();
    }
  },
);

function outcomeShown(event: StreamEvent): string[] {
  const isOutcome = event.type === "tool-output-available" || event.type === "tool-output-error";
  return isOutcome ? [event.toolCallId] : [];
}

function partOf({ conversation }: Pick<Machine, "conversation">, toolCallId: string) {
  const parts = conversation.messages.flatMap((message) => message.parts);
  const part = parts.find((each) => each.type === "tool-call" && each.toolCallId === toolCallId);
  return part?.type === "tool-call" ? part : undefined;
}

/** The calls that the caller or a service has to carry out. */
function callsIn(
  effect: Effect,
): Array<{ toolCallId: string; toolName: string; source?: string; workerId?: string | undefined }> {
  if (effect.type === "call-remote") return [{ ...effect.call, workerId: effect.workerId }];
  return eventsOf(effect).flatMap((event) => (event.type === "tool-request" ? event.toolCalls : []));
}

function isForeign(
  { toolCallId, outcome }: Extract<Input, { type: "remote-outcome" }>,
  steps: Run["steps"],
): boolean {
  const made = steps.flatMap(({ effects }) => effects.flatMap(callsIn));
  const name = made.find((call) => call.toolCallId === toolCallId)?.toolName;
  return outcome.isForeign === true || name?.includes("__") === true;
}

holdsAfterRun("the strictest provider accepts every prompt", ({ machine, steps }) => {
  for (const { effects } of steps) {
    for (const effect of effects) if (effect.type === "call-model") checkPrompt(effect.call.options.prompt);
  }
  checkPrompts(machine.conversation);
});

function checkPrompts(conversation: Conversation): void {
  for (const thread of threadNames) checkPrompt(toPrompt(conversation, { threads: [thread] }));
}

holds(
  "a turn that has ended leaves nothing open, and one that died is settled to the same state",
  (definition, script) => {
    const machine = newMachine(definition, earlierTurns(definition));
    run(machine, script, () => {
      const dead = settle(copy(machine.conversation));
      assertClosed(dead);
      checkPrompts(dead);
    });
    assertClosed(machine.conversation);
    assert.deepEqual(settle(copy(machine.conversation)), machine.conversation);
  },
);

function assertClosed({ messages }: Conversation): void {
  for (const { status, parts, role } of messages) {
    assert.equal(status, "done");
    assert.ok(role !== "assistant" || parts.length > 0);
    for (const part of parts) {
      if ("status" in part)
        assert.ok(!["streaming", "pending", "running"].includes(part.status), part.status);
    }
  }
}

holdsAfterRun("the messages that users see can be restored and then read the same", ({ machine }) => {
  for (const view of ["full", "ui"] as const) {
    const seen = copy(toUiMessages(machine.conversation, { view }));
    const restored = fromUiMessages(seen);
    assert.ok(restored.ok, JSON.stringify(restored));
    const again = toUiMessages({ ...empty(), messages: restored.messages }, { view });
    assert.deepEqual(withoutCalls(copy(again)), withoutCalls(seen));
    checkPrompts({ ...empty(), messages: restored.messages });
  }
});

/** Decisions are not restored. */
function withoutApproval<Part extends UiPart>(part: Part): Part {
  if ("approval" in part) delete part.approval;
  return part;
}

/** Calls whose result is hidden are restored as cancelled, so they are not compared. */
function withoutCalls(messages: ReturnType<typeof toUiMessages>) {
  return messages.map((message) => ({
    ...message,
    parts: partsWithoutCalls(message.parts),
  }));
}

function partsWithoutCalls(parts: readonly UiPart[]): UiPart[] {
  const rest = parts.filter(({ type }) => type !== "tool-call");
  return rest.map((part) =>
    part.type === "worker" ? { ...withoutApproval(part), parts: partsWithoutCalls(part.parts) } : part,
  );
}

holdsAfterRun("users read the same text live and later", (played) => {
  const { workerId } = played.machine.frame;
  const own = streamsOf(played)
    .flat()
    .filter((event) => !("workerId" in event) || event.workerId === workerId);
  const live = liveText(own, (blockName) => blockName === "Answer");
  const later: Record<string, string> = {};
  for (const { role, parts } of toUiMessages(played.machine.conversation)) {
    for (const part of parts) {
      if (role !== "assistant" || part.type !== "text" || isAdded(part.text)) continue;
      if (part.text !== "") later[part.thread ?? "main"] = (later[part.thread ?? "main"] ?? "") + part.text;
    }
  }
  assert.deepEqual(sorted(later), sorted(live));
});

/** One step can contain several texts that grow in turn, so letters are compared regardless of order. */
function sorted(byThread: Record<string, string>) {
  return Object.fromEntries(
    Object.entries(byThread).map(([thread, text]) => [thread, [...text].sort().join("")]),
  );
}

function isAdded(text: string): boolean {
  return text.startsWith("said") || text === "words";
}

holdsAfterRun("output that display hides is never shown, live or later", (played) => {
  const live = streamsOf(played)
    .flat()
    .filter(({ type }) => type !== "tool-request" && type !== "approval-request")
    .map((event) =>
      event.type === "finish" ? { ...event, approvals: undefined, openCalls: undefined } : event,
    );
  const seen = JSON.stringify([live, toUiMessages(played.machine.conversation)]);
  for (const words of [
    "PRIVATE",
    "worker-hidden",
    "keeper",
    "arg-worker-name",
    "arg-worker-title",
    "tool-hidden",
    "platform_todo_write",
    "arg-tool-name",
    "arg-tool-title",
    "res-tool-name",
    "res-tool-title",
  ]) {
    assert.ok(!seen.includes(words), words);
  }
});

holds("a second turn continues from any state in which the first one was left", (definition, script) => {
  const environment = environmentFrom();
  const first = run(
    newMachine(definition, earlierTurns(definition), environment),
    script.slice(0, script.length / 2),
  );
  const second = run(newMachine(definition, first.machine.conversation, environment), script);
  for (const { effects } of second.steps) {
    for (const effect of effects) if (effect.type === "call-model") checkPrompt(effect.call.options.prompt);
  }
  const ids = second.machine.conversation.messages.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});
