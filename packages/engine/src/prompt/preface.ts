import type { StoredMessage, ThreadSummary } from "../conversation/conversation.ts";
import { counted } from "./counted.ts";
import { todoText } from "./todo-text.ts";

/** The messages that a prompt lacks. */
export interface Missing {
  /** Replaces the messages before those given. Absent: these are all. */
  summary?: ThreadSummary;
  /** How many messages are left out without a summary. Absent: none. */
  omitted?: number;
}

/** The text that a model reads instead of messages that are not in its prompt; undefined if all are. */
export function prefaceOf(
  messages: readonly StoredMessage[],
  { summary, omitted = 0 }: Missing,
): string | undefined {
  const pieces: string[] = [];
  if (summary !== undefined) {
    pieces.push(`[This summary stands for the earlier part of the conversation:]\n\n${summary.text}`);
    if (summary.todos !== undefined && !messages.some(writesTodos))
      pieces.push(todoText({ todos: summary.todos }));
    if (summary.request !== undefined)
      pieces.push(`[The request that is being worked on:]\n\n${summary.request}`);
  }
  if (omitted > 0) {
    const left = counted(omitted, "earlier message");
    pieces.push(`[… ${left} ${omitted === 1 ? "is" : "are"} left out, for lack of room …]`);
  }
  if (pieces.length === 0) return undefined;
  return [...pieces, "[The conversation continues:]"].join("\n\n");
}

/** The model sees a newer list in its own call. */
function writesTodos({ parts }: StoredMessage): boolean {
  return parts.some(({ type }) => type === "todo");
}
