import { type Conversation, type Frame, frameFrom, type Memory, type StoredMessage } from "@muster/engine";
import type { JsonValue } from "@muster/language";
import { isLarge, parseInSlices } from "@muster/large-data";
import type { Containing, SessionDocument, StoredExecution } from "./session-document.ts";

/* Large states are parsed in slices, so that they do not block the main loop. */

/** A conversation without its archived messages: complete if nothing is archived. */
export async function loadConversation({ tail, memory, conversation }: Containing): Promise<Conversation> {
  if (conversation) return load<Conversation>(conversation);
  const messages = await loadMessages(tail ?? "[]");
  const rest: Memory = memory === null ? { variables: {}, resources: {} } : await load<Memory>(memory);
  return { messages, ...rest };
}

/** From the JSON of a tail or a chunk. */
export async function loadMessages(text: string): Promise<StoredMessage[]> {
  return load<StoredMessage[]>(text);
}

export async function loadInput({
  input,
}: Pick<SessionDocument, "input">): Promise<Record<string, JsonValue>> {
  return input === null ? {} : load<Record<string, JsonValue>>(input);
}

/** Throws on a frame that no engine wrote. */
export async function loadFrame({ frame }: Pick<StoredExecution, "frame">): Promise<Frame> {
  return frameFrom(await load<unknown>(frame));
}

/** Text that this service wrote. */
async function load<T>(text: string): Promise<T> {
  return isLarge(text) ? parseInSlices(text) : JSON.parse(text);
}
