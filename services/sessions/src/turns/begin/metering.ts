import type { SessionsContext } from "../../context.ts";
import type { Lease, SessionDocument, WorkforceState } from "../../store/session-document.ts";
import { RunLedger } from "../../usage/run-ledger.ts";
import { SessionMeter } from "../../usage/session-usage.ts";
import type { DriveOrder } from "../driver/drive-order.ts";

/** Adds up what a turn uses. `session`: before the turn's lease was taken. */
export function meteringOf(
  context: Pick<SessionsContext, "usage" | "clock" | "catalog">,
  session: SessionDocument,
  lease: Pick<Lease, "options">,
  executionId: string,
): Metering | Promise<Metering> {
  const { workforce, usage } = session;
  if (workforce === undefined) return { sessionMeter: new SessionMeter(usage) };
  return charged(context, { ...session, workforce }, lease, executionId);
}

type Metering = Pick<DriveOrder, "sessionMeter" | "ledger">;

async function charged(
  { usage: ledger, clock, catalog: { priceVersion } }: Pick<SessionsContext, "usage" | "clock" | "catalog">,
  {
    _id: sessionId,
    projectId,
    lease: left,
    usage,
    workforce,
  }: SessionDocument & { workforce: WorkforceState },
  { options }: Pick<Lease, "options">,
  executionId: string,
): Promise<Metering> {
  // A process that has died may have recorded calls that its session lacks.
  const stored = left === null ? usage : await ledger.usageOf({ projectId, sessionId });
  const limits = options?.limits ?? [];
  const run = { projectId, workforceAgentId: workforce.agentId, sessionId, executionId, limits };
  return {
    sessionMeter: new SessionMeter(stored),
    ledger: new RunLedger({ ledger, clock, priceVersion }, run),
  };
}
