import type { AuditFields } from "@muster/events/audit";
import { isHeld, type Lease } from "@muster/store";
import type { ComputerKind, ComputerOs, ComputerState } from "../computer.ts";

/** A computer that dials in. */
export interface MachineDocument extends AuditFields {
  /** `cmp_…` */
  _id: string;
  projectId: string;
  name: string;
  kind: Exclude<ComputerKind, "sandbox">;
  os: ComputerOs;
  /** Whose own computer it is. Absent: several agents may use it. */
  agentId?: string;
  /** Rises with each connection: an older one is refused. */
  epoch: number;
  /** The process that has its connection. Only this one begins runs on it. */
  lease: Lease | null;
  /** The process at the other end, and which of its connections it is. */
  peer?: { processId: string; connection: number };
  /** Its own report with the latest connection. Null: it was never connected. */
  report: MachineReport | null;
  /** Null unless it is connected. Processes that die leave it, until the lease runs out. */
  connectedAt: Date | null;
  /** Written while it is connected, and when the connection ends. */
  lastSeenAt: Date | null;
  /** The epoch of the latest connection on which it did not remember the one before: it may have forgotten earlier calls. */
  forgotAt?: number;
  /** Calls that it may still execute although their runs have given them up: they are killed when it connects. */
  abandoned?: CallId[];
  createdAt: Date;
  /** It is being deleted: no more agents are hired for it. */
  deleting?: true;
}

export interface MachineReport {
  runtimeVersion: string;
  os: ComputerOs;
  region: string | null;
  /** Names of the tools that it offers. */
  tools: readonly string[];
}

/** Identifies a call. */
export interface CallId {
  agentId: string;
  callId: string;
}

/** Identifies a computer that dials in. */
export interface MachineKey {
  projectId: string;
  computerId: string;
}

/** The agent's own computer, which needs no creation. */
export function computerIdOf(agentId: string): string {
  return agentId.replace(/^agt_/, "cmp_");
}

/** How long a computer whose connection was lost counts as starting, and runs wait for it. */
export const reconnectMs = 30_000;

type Seen = Pick<MachineDocument, "lease" | "connectedAt" | "lastSeenAt">;

/** `machine`: null if it was never connected. */
export function machineState(
  machine: Seen | null,
  { kind, nowMs, onlyHolder }: { kind: ComputerKind; nowMs: number; onlyHolder?: string | undefined },
): ComputerState {
  if (machine?.connectedAt && isHeld(machine.lease, nowMs, onlyHolder)) return "running";
  const lastSeenMs = machine?.lastSeenAt?.getTime() ?? Number.NEGATIVE_INFINITY;
  if (nowMs - lastSeenMs < reconnectMs) return "starting";
  return kind === "cli" ? "none" : "down";
}
