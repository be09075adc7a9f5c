import type { InteractiveProgram, TriggerSpec, VariableSpec } from "@muster/protocol";
import { usageError } from "../exit.ts";

/** Where the user's text goes. */
export interface TextTrigger {
  readonly triggerName: string;
  readonly inputName: string;
}

/** The trigger that takes text: the named one, the only one, or `user-message`. Throws a usage error that says which there are. */
export function chooseTrigger(program: InteractiveProgram, wanted: string | undefined): TextTrigger {
  const names = Object.keys(program.triggers);
  const [only, ...others] = names;
  const name =
    wanted ?? (others.length === 0 ? only : names.find((candidate) => candidate === "user-message"));
  const spec =
    name === undefined || !Object.hasOwn(program.triggers, name) ? undefined : program.triggers[name];
  if (name === undefined || spec === undefined) {
    const problem =
      wanted === undefined ? "Choose a trigger with --trigger" : `There is no trigger ${wanted}`;
    throw usageError(`${problem}; the agent has ${names.join(", ")}.`);
  }
  return { triggerName: name, inputName: textInput(name, spec) };
}

/** The one required input, if it is text; or else the one input that is text. */
function textInput(trigger: string, { input }: TriggerSpec): string {
  const entries = Object.entries(input);
  const required = entries.filter(([, spec]) => !spec.optional && spec.default === undefined);
  const candidates = (required.length > 0 ? required : entries).filter(isText);
  const [found, ...others] = candidates;
  const unfilled = required.filter((entry) => entry !== found).map(([name]) => name);
  if (found !== undefined && others.length === 0 && unfilled.length === 0) return found[0];
  const reason =
    unfilled.length > 0
      ? `it needs ${required.map(([name]) => name).join(", ")}`
      : "it has no single input for text";
  throw usageError(
    `A message cannot be given to the trigger ${trigger}: ${reason}. Choose another with --trigger.`,
  );
}

function isText([, spec]: [string, VariableSpec]): boolean {
  return spec.type.kind === "string" || spec.type.kind === "unknown";
}
