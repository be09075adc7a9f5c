import { createHash } from "node:crypto";

/** OpenAI's chat completions, and many servers that imitate them, refuse longer ids. */
const maxLength = 40;

/**
 * The id by which models know a tool call. A conversation may contain longer ids, from another provider or restored ones,
 * and must remain usable with every model.
 */
export function modelCallId(toolCallId: string): string {
  if (toolCallId.length <= maxLength) return toolCallId;
  return `call_${createHash("sha256").update(toolCallId).digest("base64url").slice(0, 32)}`;
}
