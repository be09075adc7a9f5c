import type { SessionKey } from "../../store/moves.ts";
import type { SessionDocument } from "../../store/session-document.ts";
import type { Head } from "./head.ts";

export function keyOf({ _id, projectId }: SessionDocument): SessionKey {
  return { sessionId: _id, projectId };
}

/** The messages of an earlier release count; it does not know `head`. */
export function headOf({
  head,
  conversation,
}: Partial<Pick<SessionDocument, "head" | "conversation">>): Head {
  return conversation ? [] : (head ?? []);
}
