import type { Machine, RequestedApproval } from "@muster/engine";
import type { FairQueue } from "@muster/service";
import type { TurnHistory } from "../../conversations/history/turn-history.ts";
import type { ExecutionLog } from "../../conversations/log/execution-log.ts";
import type { Held } from "../../store/moves.ts";
import type { UsageReport } from "../../store/session-document.ts";
import type { CostMeter, SessionMeter } from "../../usage/session-usage.ts";
import type { TurnLedger } from "../../usage/turn-ledger.ts";
import type { AcceptedCall } from "../remote/call-http-tool.ts";
import type { CallOrigin, RemoteCalls } from "../remote/remote-calls.ts";
import type { TurnLog } from "../stream/turn-log.ts";
import type { Displaced } from "../stream/turn-logs.ts";
import type { ModelCalls } from "./model-calls.ts";
import type { Persistence } from "./once-there-is-space.ts";
import type { TurnMetrics } from "./turn-metrics.ts";

/** Everything that an execution needs to run one turn. */
export interface DriveOrder {
  /** The id of the request that the turn serves; part of all its log lines. */
  requestId: string;
  persistence: Persistence;
  held: Held;
  machine: Machine;
  /** Records what the machine does. Absent: logs are off. */
  executionLog?: ExecutionLog;
  /** Divides the conversation between its document and the archive. Absent: all of it is in the document. */
  history?: TurnHistory;
  modelCalls: ModelCalls;
  /** Absent: the turn makes none. */
  remoteCalls?: RemoteCalls | undefined;
  /** The turn, as the services that run its calls know it. */
  place: CallOrigin;
  /** By this instance's clock. */
  leaseUntilMs: number;
  /** The size of the state that the turn begins with, and of the caller's additions. */
  bytes: number;
  /** Limit for the conversation and pause. */
  maxStateBytes: number;
  /** A first step that takes longer is stored once while it runs. */
  earlySaveMs: number;
  /** The most that the execution may cost, a decimal number of dollars. Absent: no limit. */
  maxUsd?: string | undefined;
  /** The key that a continuation after approvals counts for. Absent: none. */
  keyId?: string | undefined;
  /** The cost of the execution. */
  meter: CostMeter;
  /** The usage of its whole session. Absent: it has none. */
  sessionMeter?: SessionMeter;
  /** Records each model call, and limits them. Absent: the turn is not charged. */
  ledger?: TurnLedger;
  /** The cost is reported after `finish`. */
  reportsUsage: UsageReport;
  /** Records the events, so that readers can join and continue. Absent: no process can. */
  eventLog?: TurnLog;
  /** For the turn's first write. Absent: it displaces no events. */
  displaced?: Displaced | undefined;
  /** Stores the calls that the turn asks about. Safe to repeat. Absent: it never asks. */
  requestApprovals?: (approvals: readonly RequestedApproval[]) => Promise<void>;
  /** Stores a call that its service has accepted. Safe to repeat. Absent: the turn cannot wait for it. */
  keepOpen?: (accepted: AcceptedCall) => Promise<void>;
  /** Aborted turns with long responses wait here for their end, by the bytes that they have received. */
  turnEnds: FairQueue;
  /** Absent: nothing is measured. */
  metrics?: TurnMetrics | undefined;
}
