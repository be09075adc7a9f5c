import type { DescMethod } from "@bufbuild/protobuf";
import { type Clock, type Logger, systemClock } from "@muster/service";
import { Reason, readRpcError } from "./errors.ts";
import { methodPath } from "./handling.ts";

const logEveryMs = 60_000;

const lines: Readonly<Partial<Record<Reason, string>>> = {
  [Reason.PRINCIPAL_REFUSED]:
    "a service refuses the signatures of this platform: give all processes the same MUSTER_PRINCIPAL_SECRET",
  [Reason.PRINCIPAL_EXPIRED]:
    "a service refuses a signature as too old or from the future: compare the clocks of the machines",
};

export type PrincipalRefusals = ReturnType<typeof createPrincipalRefusals>;

/** Logs at most one line a minute for each service and reason, because every request can meet a refusal. */
export function createPrincipalRefusals(log: Logger | undefined, clock: Clock = systemClock) {
  const loggedMs = new Map<string, number>();
  return {
    /** Logs the failure of a call if the service refused its principal. */
    note(method: DescMethod, error: unknown) {
      const { reason } = readRpcError(error);
      const line = lines[reason];
      if (log === undefined || line === undefined) return;
      const service = method.parent.typeName;
      const key = `${service} ${reason}`;
      const nowMs = clock.monotonicMs();
      const lastMs = loggedMs.get(key);
      if (lastMs !== undefined && nowMs - lastMs < logEveryMs) return;
      loggedMs.set(key, nowMs);
      log.warn({ service, method: methodPath(method) }, line);
    },
  };
}
