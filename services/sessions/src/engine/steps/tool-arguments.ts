import { isJsonObject, type JsonValue, parseJson } from "@muster/protocol";

export type ToolArguments = { ok: true; args: JsonValue } | { ok: false; args: JsonValue; problem: string };

/** Parses the arguments that a model wrote. Some models send an empty text for "no arguments". */
export function readToolArguments(text: string): ToolArguments {
  if (text.trim() === "") return { ok: true, args: {} };
  const parsed = parseJson(text);
  if (!parsed.ok) return { ok: false, args: text, problem: `The arguments ${parsed.problem}.` };
  const { value: args } = parsed;
  if (!isJsonObject(args)) return { ok: false, args, problem: "The arguments must be a JSON object." };
  return { ok: true, args };
}
