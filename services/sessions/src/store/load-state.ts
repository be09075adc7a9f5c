import { isLarge, parseInSlices } from "@muster/large-data";
import type { JsonValue } from "@muster/protocol";
import { type Frame, frameFrom } from "../engine/boundary/frame.ts";
import type { Conversation } from "../engine/conversation/conversation.ts";
import { readConversation, type SessionDocument, type StoredExecution } from "./session-document.ts";

/* Large states are parsed in slices, so that they do not hold the main loop. */

export async function loadConversation(
  session: Pick<SessionDocument, "conversation">,
): Promise<Conversation> {
  const { conversation } = session;
  return conversation !== null && isLarge(conversation)
    ? parseInSlices(conversation)
    : readConversation(session);
}

export async function loadInput({
  input,
}: Pick<SessionDocument, "input">): Promise<Record<string, JsonValue>> {
  return input === null ? {} : load(input);
}

/** Throws on a frame that no engine wrote. */
export async function loadFrame({ frame }: Pick<StoredExecution, "frame">): Promise<Frame> {
  return frameFrom(await load(frame));
}

/** Text that this service wrote. */
function load(text: string): ReturnType<typeof parseInSlices> {
  return isLarge(text) ? parseInSlices(text) : JSON.parse(text);
}
