import { counted } from "./counted.ts";

export const charactersPerToken = 4;

/** A tool result that models read only in part. */
export interface BoundedOutput {
  toolCallId: string;
  toolName: string;
  /** Of the whole result. */
  characters: number;
  /** Of what the model reads of it. */
  keptCharacters: number;
}

/**
 * Cuts an oversized tool result to its head, a note and its tail. A token is about four characters. Only the model's
 * copy is cut; the stored result stays whole.
 */
export function boundOutput(text: string, maxTokens: number | undefined): string {
  if (maxTokens === undefined) return text;
  const limit = maxTokens * charactersPerToken;
  if (text.length <= limit) return text;
  const half = Math.ceil(limit / 2);
  const [head, tail] = [text.slice(0, half), text.slice(text.length - (limit - half))];
  const left = text.length - limit;
  // A cut may fall inside a surrogate pair, and half a pair is not valid UTF-8.
  return `${head.toWellFormed()}\n[… ${counted(left, "character")} omitted …]\n${tail.toWellFormed()}`;
}
