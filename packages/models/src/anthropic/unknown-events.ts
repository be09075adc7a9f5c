import { TypeValidationError } from "@ai-sdk/provider";
import { isPlainObject } from "@muster/language";
import type { UnknownEvent } from "../provider-definition.ts";

// Anthropic adds events, blocks and deltas at any time and asks clients to skip those that they do not know.

const knownEvents = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "ping",
  "error",
]);
const knownBlocks = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);
const knownDeltas = new Set([
  "text_delta",
  "thinking_delta",
  "signature_delta",
  "input_json_delta",
  "citations_delta",
]);

/** Recognises the error that the package reports for an event it does not know. Events of known types must be valid. */
export function readUnknownEvent(error: unknown): UnknownEvent | undefined {
  if (!TypeValidationError.isInstance(error) || !isPlainObject(error.value)) return undefined;
  const event = error.value;
  if (typeof event.type !== "string") return undefined;
  if (!knownEvents.has(event.type)) return {};
  if (event.type === "content_block_start" && isUnknown(event.content_block, knownBlocks))
    return { blockId: String(event.index) };
  if (event.type === "content_block_delta" && isUnknown(event.delta, knownDeltas)) return {};
  return undefined;
}

function isUnknown(value: unknown, known: ReadonlySet<string>): boolean {
  return isPlainObject(value) && typeof value.type === "string" && !known.has(value.type);
}

/**
 * Whether the text of one server-sent event can be dropped: its data is of an unknown type, or it has no data. Anything
 * else is for the package to judge.
 */
export function isSkippable(event: string): boolean {
  const data = event.match(/^data:.*$/gm)?.map((line) => line.slice("data:".length));
  if (data === undefined) return true;
  try {
    const value: unknown = JSON.parse(data.join("\n"));
    return isPlainObject(value) && typeof value.type === "string" && !knownEvents.has(value.type);
  } catch {
    return false;
  }
}
