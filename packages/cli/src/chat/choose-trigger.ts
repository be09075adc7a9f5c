import type { InteractiveProgram, TriggerSpec, VariableSpec } from "@muster/protocol";
import { usageError } from "../exit.ts";
import { inputPairs } from "./input-pairs.ts";

/** What each message triggers. */
export interface Target {
  readonly triggerName: string;
  /** The input that the message goes into; absent when the trigger is fired without one. */
  readonly messageInput?: string;
  /** All other input. */
  readonly input: Readonly<Record<string, unknown>>;
}

interface Wish {
  /** The name of the trigger, or undefined for the obvious one. */
  readonly trigger: string | undefined;
  /** Input as `NAME=VALUE`. */
  readonly pairs: readonly string[];
  readonly withoutMessage: boolean;
}

/**
 * The trigger that was asked for, the only one, or `user-message`. Throws a usage error that says which there are, or
 * what it needs.
 */
export function chooseTrigger(program: InteractiveProgram, wish: Wish): Target {
  const [triggerName, spec] = findTrigger(program, wish.trigger);
  const input = inputPairs("--trigger-input", wish.pairs, spec.input);
  const messageInput = wish.withoutMessage ? undefined : findMessageInput(triggerName, spec, input);
  return { triggerName, input, ...(messageInput === undefined ? {} : { messageInput }) };
}

function findTrigger({ triggers }: InteractiveProgram, wanted: string | undefined): [string, TriggerSpec] {
  const names = Object.keys(triggers);
  const [only, ...others] = names;
  const name =
    wanted ?? (others.length === 0 ? only : names.find((candidate) => candidate === "user-message"));
  const spec = name !== undefined && Object.hasOwn(triggers, name) ? triggers[name] : undefined;
  if (name !== undefined && spec !== undefined) return [name, spec];
  const problem = wanted === undefined ? "Choose a trigger with --trigger" : `There is no trigger ${wanted}`;
  throw usageError(`${problem}; the agent has ${names.join(", ")}.`);
}

/** The one input that has to be given yet, if it is text; or else the only one that is text, if there is one. */
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
    `The trigger ${triggerName} needs ${names}, and a message is one text. Give the rest with --trigger-input NAME=VALUE.`,
  );
}

function isText([, { type }]: [string, VariableSpec]): boolean {
  return type.kind === "string" || type.kind === "unknown";
}
