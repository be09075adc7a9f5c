import { isJsonObject, type JsonObject, parseJson } from "@muster/language";
import { asObject } from "../conversation/call-arguments.ts";

export type ToolArguments = { ok: true; args: JsonObject } | { ok: false; args: JsonObject; problem: string };

/** Reads the arguments that a model wrote. Some models write nothing if a call has no arguments. */
export function readToolArguments(text: string): ToolArguments {
  if (text.trim() === "") return { ok: true, args: {} };
  const parsed = parseJson(text);
  if (!parsed.ok) return { ok: false, args: asObject(text), problem: `The arguments ${parsed.problem}.` };
  const { value: args } = parsed;
  if (!isJsonObject(args))
    return { ok: false, args: asObject(args), problem: "The arguments must be a JSON object." };
  return { ok: true, args };
}
