import type { JsonValue, Program } from "@muster/language";
import type {
  Effect,
  Input,
  Machine,
  MachineEnvironment,
  ModelCall,
  NewTurn,
} from "../../src/boundary/machine.ts";
import type { Conversation } from "../../src/conversation/conversation.ts";
import { beginTurn } from "../../src/machine/begin-turn.ts";
import type { StreamEvent } from "../../src/shown/events.ts";

/** Ids count up; the time advances by a second per id. */
export function countingEnvironment(from = 0, sealLength?: number): MachineEnvironment & { count: number } {
  const environment = {
    count: from,
    ...(sealLength !== undefined && { sealLength }),
    newId: (prefix: string) => `${prefix}_${++environment.count}`,
    now: () => Date.UTC(2026, 0, 1) + environment.count * 1000,
  };
  return environment;
}

export function emptyConversation(): Conversation {
  return { messages: [], variables: {}, resources: {} };
}

export interface Played {
  machine: Machine;
  effects: Effect[];
  /** In the order in which a reader receives them. */
  events: StreamEvent[];
  calls: ModelCall[];
  /** The outcome of the last input. */
  outcome: string | undefined;
}

export interface PlayOptions extends Partial<Omit<NewTurn, "program">> {
  environment?: MachineEnvironment;
}

/** Runs a program through a script of inputs. Its TEXT is `Hello`. */
export function play(program: Program, inputs: Input[], options: PlayOptions = {}): Played {
  const { environment = countingEnvironment(), ...given } = options;
  const machine = beginTurn(
    {
      program,
      conversation: emptyConversation(),
      executionId: "exe_1",
      ...beginningOf(program, "Hello"),
      dynamicTools: [],
      ...given,
    },
    environment,
  );
  const effects = inputs.flatMap((input) => machine.advance(input));
  return { machine, effects, ...readEffects(effects) };
}

/** The start values of a turn of the program. */
export function beginningOf(
  { format }: Program,
  words: string,
): Pick<NewTurn, "sessionInput" | "triggerName" | "triggerInput" | "workerSlug"> {
  const values: Record<string, JsonValue> = { TEXT: words };
  return format === "worker"
    ? { sessionInput: values, triggerName: "", triggerInput: {}, workerSlug: "helper" }
    : { sessionInput: {}, triggerName: "go", triggerInput: values };
}

export function readEffects(effects: readonly Effect[]): Pick<Played, "events" | "calls" | "outcome"> {
  const last = effects.at(-1);
  return {
    events: effects.flatMap(eventsOf),
    calls: effects.flatMap((effect) => (effect.type === "call-model" ? effect.call : [])),
    outcome: last?.type === "end" ? last.outcome : undefined,
  };
}

export function eventsOf(effect: Effect): StreamEvent[] {
  if (effect.type === "emit") return [effect.event];
  return effect.type === "end" ? effect.events : [];
}

/** One line per event, with the fields that tests compare: the type and the text. */
export function lines(events: readonly StreamEvent[]): string[] {
  return events.map(lineOf);
}

function lineOf(event: StreamEvent): string {
  const { type, ...fields } = event;
  const silent = type === "block-end" ? silentAtBlockEnd : silentElsewhere;
  const kept = Object.entries(fields).filter(([name]) => !silent.has(name));
  return [type, ...kept.map(([, value]) => (typeof value === "string" ? value : JSON.stringify(value)))].join(
    " ",
  );
}

const silentAtBlockEnd = new Set(["blockId", "status", "message", "messageId"]);
const silentElsewhere = new Set([
  "blockId",
  "blockType",
  "executionId",
  "lastMessageId",
  "retryable",
  "source",
  "provider",
  "independent",
]);
