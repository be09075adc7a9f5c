import type { UiMessage, UiMessagePart } from "@muster/client";
import { wordsOfCall } from "@muster/video/calls";

/** The agent reads it before the message. */
const listOfFiles = /^Files for this message, on your computer:\n(?:- .*\n)+\n/;

/** The words of the latest task of a thread. */
export function taskOf(messages: readonly UiMessage[]): string {
  const task = messages.findLast(({ role }) => role === "user");
  return task === undefined ? "" : textOf(task.parts).replace(listOfFiles, "");
}

function textOf(parts: readonly UiMessagePart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The latest step in one line: a call in words, or the end of a text. */
export function lastLineOf(messages: readonly UiMessage[]): string | undefined {
  const last = messages.at(-1);
  return last?.role === "assistant" ? lineOf(last.parts) : undefined;
}

function lineOf(parts: readonly UiMessagePart[]): string | undefined {
  for (const part of parts.toReversed()) {
    if (part.type === "tool-call") return wordsOfCall(part.toolName, part.args).sentence;
    if (part.type === "worker") return lineOf(part.parts) ?? part.description ?? part.workerSlug;
    if (part.type !== "text" && part.type !== "reasoning") continue;
    const line = part.text.trimEnd().split("\n").at(-1);
    if (line) return line;
  }
  return undefined;
}
