import type { InteractiveProgram, VariableSpec } from "./program.ts";

/** The trigger that takes messages, and its inputs. */
export interface MessageTrigger {
  name: "user-message";
  /** The input that receives the text. */
  input: string;
  /** The input that receives files. Absent: the agent takes none. */
  fileInput?: string;
}

export const messageTriggerName = "user-message";

/** Undefined unless the agent has a trigger `user-message` with exactly one required input, a text. */
export function messageTriggerOf({ triggers }: InteractiveProgram): MessageTrigger | undefined {
  const trigger = Object.hasOwn(triggers, messageTriggerName) ? triggers[messageTriggerName] : undefined;
  const inputs = Object.entries(trigger?.input ?? {});
  const required = inputs.filter(([, { optional, default: value }]) => !optional && value === undefined);
  const [text] = required;
  if (text === undefined || required.length !== 1 || !isText(text[1])) return undefined;
  const files = inputs.find(([, { type }]) => type.kind === "array" && type.items.kind === "file");
  return { name: messageTriggerName, input: text[0], ...(files && { fileInput: files[0] }) };
}

function isText({ type, enum: values }: VariableSpec): boolean {
  return type.kind === "string" && values === undefined;
}
