import type { InteractiveProgram, TriggerSpec, VariableSpec } from "@muster/language";
import { usageError } from "../exit.ts";
import { inputPairs } from "../turn/input-pairs.ts";

/** The trigger that each message fires. */
export interface Target {
  readonly triggerName: string;
  /** The input that receives the message; absent if the trigger is fired without a message. */
  readonly messageInput?: string;
  /** All other input. */
  readonly input: Readonly<Record<string, unknown>>;
}

interface Wish {
  /** The name of the trigger; undefined for the default. */
  readonly trigger: string | undefined;
  /** Input as `NAME=VALUE`. */
  readonly pairs: readonly string[];
  readonly withoutMessage: boolean;
}

/**
 * Returns the requested trigger, the only trigger, or `user-message`; `program` is undefined if the key cannot read it. Throws a usage error that lists the triggers, or
 * the input that is missing.
 */
export function chooseTrigger(program: InteractiveProgram | undefined, wish: Wish): Target {
  if (program === undefined) return conventionalTarget(wish);
  const [triggerName, spec] = findTrigger(program, wish.trigger);
  const input = inputPairs("--trigger-input", wish.pairs, spec.input);
  const messageInput = wish.withoutMessage ? undefined : findMessageInput(triggerName, spec, input);
  return { triggerName, input, ...(messageInput === undefined ? {} : { messageInput }) };
}

/** Without the definition, the names that most agents use. */
function conventionalTarget({ trigger = "user-message", pairs, withoutMessage }: Wish): Target {
  const input = inputPairs("--trigger-input", pairs, undefined);
  return { triggerName: trigger, input, ...(withoutMessage ? {} : { messageInput: "USER_MESSAGE" }) };
}

function findTrigger({ triggers }: InteractiveProgram, wanted: string | undefined): [string, TriggerSpec] {
  const names = Object.keys(triggers);
  const [only, ...others] = names;
  const name =
    wanted ?? (others.length === 0 ? only : names.find((candidate) => candidate === "user-message"));
  const spec = name !== undefined && Object.hasOwn(triggers, name) ? triggers[name] : undefined;
  if (name !== undefined && spec !== undefined) return [name, spec];
  const problem =
    wanted === undefined ? "Choose a trigger with --trigger" : `The agent has no trigger ${wanted}`;
  throw usageError(`${problem}. The agent's triggers: ${names.join(", ")}.`);
}

/** The only required input that is still missing, if it is text; without required input, the only text input. */
function findMessageInput(
  triggerName: string,
  spec: TriggerSpec,
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  const entries = Object.entries(spec.input).filter(([name]) => !Object.hasOwn(given, name));
  const required = entries.filter(([, { optional, default: value }]) => !optional && value === undefined);
  const [found, ...others] = (required.length > 0 ? required : entries).filter(isText);
  if (required.length === 0) return others.length === 0 ? found?.[0] : undefined;
  if (found !== undefined && required.length === 1) return found[0];
  const names = required.map(([name]) => name).join(", ");
  throw usageError(
    `The trigger ${triggerName} requires ${names}, but a message sets only one text input. Set the others with --trigger-input NAME=VALUE.`,
  );
}

function isText([, { type }]: [string, VariableSpec]): boolean {
  return type.kind === "string" || type.kind === "unknown";
}
