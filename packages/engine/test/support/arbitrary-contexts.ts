import assert from "node:assert/strict";
import type { ContextManagement, Program, VariableSpec, WorkerProgram } from "@muster/language";
import fc from "fast-check";
import type { Compaction } from "../../src/boundary/compaction.ts";
import type { Effect, LibraryWorker } from "../../src/boundary/machine.ts";
import type { Conversation } from "../../src/conversation/conversation.ts";
import { remoteServers } from "./arbitrary-remotes.ts";
import { smallEnvironment, talkOf } from "./long-conversations.ts";
import { emptyConversation } from "./play.ts";
import { ask, open, promptOf, say, workerOf } from "./programs.ts";

/** Conversations that outgrow the windows of their models, and the workers that summarise them. */

const keeper = "keeper";

/** In tenths of the threshold. */
const recent = fc.constantFrom(0, 5, 9);

export function contextManagement(workers: readonly string[]): fc.Arbitrary<ContextManagement> {
  return fc
    .record({
      thresholdPercent: fc.constantFrom(5, 20, 50),
      recent,
      slug: fc.constantFrom(...workers, ...workers.map(() => keeper), ...workers.map(() => undefined)),
    })
    .map(({ thresholdPercent, recent, slug }) => ({
      thresholdPercent,
      recentPercent: Math.floor((thresholdPercent * recent) / 10),
      ...(slug !== undefined && { summarizerWorker: slug }),
    }));
}

const optional: VariableSpec = { type: { kind: "string" }, schema: { type: "string" }, optional: true };

/** The worker can be called for any task, and to write a summary. */
export function asSummarizer(program: WorkerProgram): WorkerProgram {
  return { ...program, input: { TEXT: optional, CONVERSATION: optional, PREVIOUS_SUMMARY: optional } };
}

/** A worker that writes nothing but summaries. Programs do not declare it, so no model can call it. */
export const keeperEntry: [string, LibraryWorker] = [
  keeper,
  {
    agentId: "agt_keeper",
    agentVersion: 1,
    program: asSummarizer(
      workerOf({
        steps: [
          open("main"),
          say("", { prompt: promptOf("PRIVATE ", "CONVERSATION") }),
          ask({ output: "OUT" }),
        ],
        output: "OUT",
      }),
    ),
  },
];

/** In tokens. */
const tinyWindow = 800;

export function tinyEnvironment(from = 0, sealLength?: number): ReturnType<typeof smallEnvironment> {
  const settings = { contextWindow: () => tinyWindow, remote: remoteServers };
  return Object.assign(smallEnvironment(from, sealLength), settings);
}

/** The earlier turns that the first turn finds, if the program manages the context of its main thread. */
export function earlierTurns(program: Program): Conversation {
  return isManaged(program) ? talkOf(2, 200, "said by ") : emptyConversation();
}

function isManaged(program: Program): boolean {
  if (program.format === "interactive") return program.agent.contextManagement !== undefined;
  const [first] = program.steps;
  return first?.kind === "start-thread" && first.config.contextManagement !== undefined;
}

/** At least so many of a hundred cases. */
const leastPercent = {
  "the thread's model writes a summary": 0.5,
  "a worker writes a summary": 0.5,
  "messages are left out": 5,
  "a summarizer fails or returns nothing": 3,
  "a refused prompt is made smaller": 0.5,
};
type Kind = keyof typeof leastPercent;

/** In how many cases a prompt was made smaller, so that the generators cannot silently cease to cover it. */
export class CompactionTally {
  readonly #counts = new Map<Kind, number>();
  #current = new Set<Kind>();

  take(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type !== "call-model") continue;
      for (const compaction of effect.call.compactions ?? []) {
        for (const kind of kindsOf(compaction)) this.#current.add(kind);
      }
    }
  }

  endCase(counts = true): void {
    for (const kind of counts ? this.#current : []) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    this.#current = new Set();
  }

  /** With few cases, chance decides. */
  check(cases: number): void {
    if (cases < 1_000) return;
    for (const [kind, percent] of Object.entries(leastPercent)) {
      const count = new Map<string, number>(this.#counts).get(kind) ?? 0;
      assert.ok(count >= Math.floor((cases * percent) / 100), `in only ${count} of ${cases} cases ${kind}`);
    }
  }
}

function kindsOf({ cause, method, summarizer, problem }: Compaction): Kind[] {
  const kinds: Kind[] = cause === "refusal" ? ["a refused prompt is made smaller"] : [];
  if (problem !== undefined) kinds.push("a summarizer fails or returns nothing");
  if (method === "trim") return [...kinds, "messages are left out"];
  // Ids of models contain a slash, and slugs of workers do not.
  const isModel = summarizer?.includes("/") === true;
  return [...kinds, isModel ? "the thread's model writes a summary" : "a worker writes a summary"];
}
