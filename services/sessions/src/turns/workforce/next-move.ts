import type { RunCall, WorkforceState } from "../../store/session-document.ts";

/** A call of the workforce service, as far as it decides what becomes of it. */
export interface Caller {
  requestId: string;
  driverEpoch: number;
}

/**
 * `stale`: a later driver has been seen. `attach`: it is the session's latest call already. `end-earlier`: another call is
 * executed for an earlier driver, and must end first. `wait`: another call is executed.
 */
export type Move =
  | { type: "stale" | "wait" | "lock" | "end-earlier" }
  | { type: "attach"; call: RunCall; isLater: boolean };

/** The next step of a call, with the session that was read. The write that follows repeats the conditions. */
export function nextMove(
  { driverEpoch, call }: Pick<WorkforceState, "driverEpoch" | "call">,
  isExecuted: boolean,
  caller: Caller,
): Move {
  if (caller.driverEpoch < driverEpoch) return { type: "stale" };
  const isLater = caller.driverEpoch > driverEpoch;
  if (call?.requestId === caller.requestId) return { type: "attach", call, isLater };
  if (!isExecuted) return { type: "lock" };
  return { type: isLater ? "end-earlier" : "wait" };
}
