import type { RpcFailure } from "@muster/rpc";
import { Code, Reason } from "@muster/rpc";
import type { StreamError } from "@muster/wire/error-codes";
import type { Failure, FailureType } from "../../store/thread-document.ts";

/** Where a run broke, with the facts seen there. */
export type Breakage =
  /** A monthly limit leaves no room for another run. */
  | { at: "limit"; reached: Failure }
  /** The computer did not start, so nothing has been done. */
  | { at: "computer-start"; isUnreachable: boolean }
  /** The computer had started, and was lost. */
  | { at: "computer" }
  /** A file of the message could not be put on the computer, so its turn has not begun. `isOwn`: the platform stores it. */
  | { at: "file"; isOwn: boolean; reason: string }
  /** The `error` event that ended a turn. */
  | { at: "turn"; event: Pick<StreamError, "errorType" | "source" | "code" | "message"> }
  /** The sessions service refused a call. */
  | { at: "session"; failure: Pick<RpcFailure, "reason" | "code" | "message"> }
  /** The connection to the turn broke again and again. `hasBegun`: the turn had sent an event before. */
  | { at: "connection"; hasBegun: boolean }
  /** The processes that executed the run died one after the other without progress. */
  | { at: "holder" }
  /** An unexpected error. */
  | { at: "driver" };

/** How a run that broke ends. `blocked`: a follow-up continues the thread once the limit allows it. */
export interface BrokenEnd extends Failure {
  status: "failed" | "blocked";
}

/** The only place that decides what kind of failure stopped a run. */
export function classifyFailure(breakage: Breakage): BrokenEnd {
  switch (breakage.at) {
    case "limit":
      return { ...breakage.reached, status: "blocked" };
    case "computer-start":
      return breakage.isUnreachable
        ? failed("computer_unreachable", "The agent's computer could not be reached; nothing was done.")
        : failed("platform", "The agent's computer could not be started; nothing was done. Try again.");
    case "computer":
      return failed("network", "The connection to the agent's computer was lost during the run.");
    case "file":
      return failed(breakage.isOwn ? "platform" : "network", breakage.reason);
    case "turn":
      return ofTurn(breakage.event);
    case "session":
      return ofSession(breakage.failure);
    case "connection":
      return breakage.hasBegun
        ? failed("transport", "The connection to the run kept breaking and could not be recovered.")
        : failed(
            "platform",
            "The run could not be started, because a part of the platform does not respond.",
          );
    case "holder":
      return failed(
        "transport",
        "The processes that executed the run ended one after the other; continue with a follow-up.",
      );
    case "driver":
      return failed("platform", "The run failed unexpectedly; check what it has done before you repeat it.");
  }
}

const blockingCodes: ReadonlySet<unknown> = new Set(["SPENDING_LIMIT", "USAGE_LIMIT"]);

function ofTurn({ errorType, source, code, message }: Extract<Breakage, { at: "turn" }>["event"]): BrokenEnd {
  if (blockingCodes.has(code)) return { status: "blocked", type: "limit", reason: message };
  return failed(typeOfTurn(errorType, source, code), message);
}

function typeOfTurn(
  errorType: StreamError["errorType"],
  source: StreamError["source"],
  code: StreamError["code"],
): FailureType {
  if (code === "PAYLOAD_TOO_LARGE") return "session_too_large";
  if (errorType === "provider_timeout" || code === "TIMEOUT") return "timeout";
  if (source === "provider") return "provider";
  if (source === "platform" && errorType !== "unknown_error") return "platform";
  return "unknown";
}

function ofSession({ reason, code, message }: Extract<Breakage, { at: "session" }>["failure"]): BrokenEnd {
  if (reason === Reason.TOO_LARGE) return failed("session_too_large", message);
  // The turn ended while no reader could follow it, and its outcome is no longer known.
  if (reason === Reason.EVENTS_GONE)
    return failed("transport", "The run continued for too long without a connection; read its messages.");
  if (reason === Reason.SPENDING_LIMIT || reason === Reason.USAGE_LIMIT)
    return { status: "blocked", type: "limit", reason: message };
  if (code === Code.DeadlineExceeded) return failed("timeout", "A request of the run timed out.");
  // Only errors that were thrown on purpose have a sentence for users.
  if (reason === Reason.UNSPECIFIED) return classifyFailure({ at: "driver" });
  return failed("platform", message);
}

function failed(type: FailureType, reason: string): BrokenEnd {
  return { status: "failed", type, reason };
}
