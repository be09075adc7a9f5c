import type { JsonValue } from "@muster/protocol";
import { isObject, parseJson } from "../json.ts";

export type ToolArguments = { ok: true; args: JsonValue } | { ok: false; args: JsonValue; problem: string };

/** Reads the arguments that a model wrote. No text at all is how some models say "no arguments". */
export function readToolArguments(text: string): ToolArguments {
  if (text.trim() === "") return { ok: true, args: {} };
  const args = parseJson(text);
  if (args === undefined) return { ok: false, args: text, problem: "The arguments are not valid JSON." };
  if (!isObject(args)) return { ok: false, args, problem: "The arguments must be a JSON object." };
  return { ok: true, args };
}
