import type { VariableSpec } from "@muster/language";

/** A trigger with its input. */
export interface Message {
  trigger: string;
  input: Record<string, unknown>;
  /** Its values as they were typed. */
  texts: Texts;
}

/** The value of a field whose files are still being sent: the form waits for it. */
export const uploading = Symbol("uploading");

/** Whether the form can be sent: every required field has a value, and every file has arrived. */
export function isComplete(specs: Specs, texts: Texts): boolean {
  const isMissing = ([name, { optional, default: given }]: [string, VariableSpec]) =>
    !optional && given === undefined && (texts[name] === undefined || texts[name] === "");
  return !Object.values(texts).includes(uploading) && !Object.entries(specs).some(isMissing);
}

/** The values of a form, by the name of the input. */
export type Texts = Readonly<Record<string, unknown>>;

export type Specs = Readonly<Record<string, VariableSpec>>;

export type Control = "text" | "number" | "boolean" | "choice" | "file" | "files" | "json";

export function controlOf({ type, enum: values }: VariableSpec): Control {
  if (values !== undefined) return "choice";
  if (type.kind === "array") return type.items.kind === "file" ? "files" : "json";
  if (type.kind === "string") return "text";
  if (type.kind === "number" || type.kind === "integer") return "number";
  if (type.kind === "boolean" || type.kind === "file") return type.kind;
  return "json";
}

/** The input as the API takes it, without empty fields. The server reports missing and wrong values. */
export function inputOf(specs: Specs, texts: Texts): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const typed = texts[name];
    if (typed === undefined || typed === "") continue;
    const control = controlOf(spec);
    const isText = typeof typed === "string";
    if (isText && control === "number") input[name] = Number(typed);
    else if (isText && control === "boolean") input[name] = typed === "true";
    else if (isText && control === "choice")
      input[name] = spec.enum?.find((value) => String(value) === typed) ?? typed;
    else input[name] = isText && control === "json" ? jsonOrText(typed) : typed;
  }
  return input;
}

/** JSON, or the text itself if it is none. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
