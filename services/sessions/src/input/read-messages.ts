import { Restoration, type RestoreOptions, type StoredMessage } from "@muster/engine";
import { nextTurn, type Pause } from "@muster/large-data";
import type { Issues } from "@muster/rpc";
import { readJson } from "./values.ts";

const maxMessages = 10_000;
/** Messages that are read without a break. */
const messagesPerTurn = 500;

/** UI messages kept by a caller, as stored messages. Many are read in several turns of the main loop. */
export async function readMessages(
  issues: Issues,
  text: string,
  options: RestoreOptions = {},
  pause: Pause = nextTurn,
): Promise<StoredMessage[]> {
  const parsed = await readJson(text === "" ? "[]" : text);
  if (!parsed.ok) {
    issues.add("messages", parsed.problem);
    return [];
  }
  if (!Array.isArray(parsed.value) || parsed.value.length > maxMessages) {
    issues.add("messages", `must be an array of at most ${maxMessages} messages`);
    return [];
  }
  const restoration = new Restoration(options);
  for (const [index, value] of parsed.value.entries()) {
    const found = restoration.add(value);
    for (const { path, message } of found) issues.add(path, message);
    if (found.length > 0) return [];
    if (index % messagesPerTurn === messagesPerTurn - 1) await pause();
  }
  return restoration.messages();
}
