import { Code, Reason, type RpcFailure, readRpcError } from "@muster/rpc";
import { repeat } from "@muster/service/claim";
import type { WorkforceContext } from "../../context.ts";
import type { ActiveRun } from "../slot/active-run.ts";
import { Broken } from "./broken.ts";

const retryEveryMs = 500;
const passing: ReadonlySet<Code> = new Set([Code.Unavailable, Code.Canceled, Code.DeadlineExceeded]);
/** The last two: another instance may accept the signature, and each call is signed again. */
const passingReasons: ReadonlySet<Reason> = new Set([
  ...[Reason.UNAVAILABLE, Reason.STORAGE_FULL, Reason.SESSION_BUSY],
  ...[Reason.PRINCIPAL_REFUSED, Reason.PRINCIPAL_EXPIRED],
]);

/** Whether the same call may succeed later. */
export function isPassing({ reason, code }: Pick<RpcFailure, "reason" | "code">): boolean {
  if (reason === Reason.UNSPECIFIED) return passing.has(code);
  return passingReasons.has(reason);
}

/** Repeats a call to another service while that does not respond, and as long as its disk is full. Throws {@link Broken}. */
export function callService<T>(
  { timings }: Pick<WorkforceContext, "timings">,
  { stopping: signal }: Pick<ActiveRun, "stopping">,
  call: () => Promise<T>,
): Promise<T> {
  const deadlineMs = performance.now() + timings.reconnectMs;
  return repeat({ everyMs: retryEveryMs, signal }, call, (error) => {
    const failure = readRpcError(error);
    if (!isPassing(failure)) throw new Broken({ at: "session", failure }, { cause: error });
    if (performance.now() >= deadlineMs && failure.reason !== Reason.STORAGE_FULL)
      throw new Broken({ at: "connection", hasBegun: false }, { cause: error });
  });
}
