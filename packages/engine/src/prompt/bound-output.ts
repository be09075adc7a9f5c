import type { JsonValue } from "@muster/language";
import { counted } from "./counted.ts";

export const charactersPerToken = 4;

/** A tool result that models read only in part. */
export interface BoundedOutput {
  toolCallId: string;
  toolName: string;
  /** The size of the whole result. */
  characters: number;
  /** The size of the part that the model reads. */
  keptCharacters: number;
}

const note = /^\n\[… \d+ characters? omitted …\]\n$/;
const maxNoteLength = 48;

/**
 * Cuts an oversized text to its head, a note and its tail. A token is about four characters. A result that was cut this
 * way stays unchanged: users restore the state that they have seen.
 */
export function boundOutput(text: string, maxTokens: number | undefined): string {
  if (maxTokens === undefined) return text;
  const limit = maxTokens * charactersPerToken;
  if (text.length <= limit) return text;
  const half = Math.ceil(limit / 2);
  const left = text.length - limit;
  if (left <= maxNoteLength && note.test(text.slice(half, half + left))) return text;
  const [head, tail] = [text.slice(0, half), text.slice(text.length - (limit - half))];
  // A cut may fall inside a surrogate pair, and half a pair is not valid UTF-8.
  return `${head.toWellFormed()}\n[… ${counted(left, "character")} omitted …]\n${tail.toWellFormed()}`;
}

/** A tool result as models and users read it; the stored one stays whole. It is a text if `bound` has cut it. */
export function boundResult(result: JsonValue, bound: (text: string) => string): JsonValue {
  const whole = typeof result === "string" ? result : JSON.stringify(result);
  const bounded = bound(whole);
  return bounded === whole ? result : bounded;
}
