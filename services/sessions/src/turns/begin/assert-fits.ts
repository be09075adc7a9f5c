import { turnAfter } from "@muster/large-data";
import type { SessionsContext } from "../../context.ts";
import type { TurnHistory } from "../../conversations/history/turn-history.ts";
import { tooLarge } from "../../store/refusals/too-large.ts";
import { type SessionDocument, sizeOf, storedBytes } from "../../store/session-document.ts";
import { frameText } from "../../store/state-text.ts";
import type { BegunTurn } from "./drive.ts";

/** How often a turn may store its input before anything else: in its frame, and in every message made from it. */
const maxCopies = 8;

/**
 * Refuses a turn whose first write would be too large. Only turns with much input are measured: the others are far from
 * the limit, or their session is full already.
 */
export async function assertFits(
  { maxStateBytes }: Pick<SessionsContext, "maxStateBytes">,
  session: SessionDocument,
  commandBytes: number,
  { machine }: Pick<BegunTurn, "machine">,
  history: TurnHistory,
): Promise<void> {
  if (storedBytes(session) + maxCopies * commandBytes <= maxStateBytes) return;
  await turnAfter(commandBytes);
  const { frame, conversation } = machine;
  const { fields } = history.snapshot(conversation);
  const execution = { id: frame.executionId, state: "running", frame: frameText(frame) } as const;
  const bytes = sizeOf({ ...fields, execution }) + Buffer.byteLength(session.input ?? "");
  // The first write makes the same text, which has to wait for another tick.
  await turnAfter(bytes);
  if (bytes - history.waitingBytes() <= maxStateBytes) return;
  throw tooLarge(
    "The turn would be too large to store, because its input is stored with the turn and in the messages made from it; send less input.",
  );
}
