import type { UpdateFilter } from "mongodb";
import type { SessionDocument } from "./session-document.ts";

/** The remaining fields of an expired session. */
const stripped = {
  status: "expired",
  input: null,
  head: [],
  tail: null,
  memory: null,
  expiresAt: null,
  title: null,
  messageCount: 0,
  summaryAt: null,
  lease: null,
  execution: null,
} as const satisfies Partial<SessionDocument>;

/** The change that expires a session. `activity`: absent if it has not been active. */
export function strip(
  sweepAt: Date,
  activity: Partial<Pick<SessionDocument, "updatedAt">> = {},
): UpdateFilter<SessionDocument> {
  return {
    $set: { ...stripped, ...activity, sweepAt },
    $unset: { conversation: "", pendingEvents: "" },
    $inc: { epoch: 1 },
  };
}
