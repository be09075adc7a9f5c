import { parseJson } from "@muster/protocol";
import type { Issues } from "@muster/rpc";
import type { StoredMessage } from "../engine/conversation/conversation.ts";
import { fromUiMessages } from "./restore/restore-messages.ts";

const maxMessages = 10_000;

/** UI messages kept by a caller, as stored messages. */
export function readMessages(issues: Issues, text: string): StoredMessage[] {
  const parsed = parseJson(text === "" ? "[]" : text);
  if (!parsed.ok) {
    issues.add("messages", parsed.problem);
    return [];
  }
  if (!Array.isArray(parsed.value) || parsed.value.length > maxMessages) {
    issues.add("messages", `must be an array of at most ${maxMessages} messages`);
    return [];
  }
  const messages = fromUiMessages(parsed.value);
  if (messages.ok) return messages.messages;
  for (const { path, message } of messages.issues) issues.add(path, message);
  return [];
}
