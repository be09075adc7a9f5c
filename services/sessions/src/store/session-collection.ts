import { deletion } from "@muster/store";
import type { Collection, MatchKeysAndValues } from "mongodb";
import { type Held, holderFilter } from "./moves.ts";
import type { SessionDocument } from "./session-document.ts";

export type SessionCollection = Collection<SessionDocument>;

/** Changes the lease of a session that the caller holds, also on a full disk. False: it no longer does. */
export async function setAsHolder(
  sessions: SessionCollection,
  held: Held,
  set: MatchKeysAndValues<SessionDocument>,
): Promise<boolean> {
  const { matchedCount } = await sessions.updateOne(holderFilter(held), { $set: set }, deletion);
  return matchedCount === 1;
}
