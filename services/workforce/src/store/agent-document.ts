import type { ComputerOwner } from "@muster/computers";
import type { AuditFields } from "@muster/events/audit";
import type { MessageTrigger } from "@muster/language";
import type { ApprovalRules, MonthlyLimits } from "@muster/rpc";
import type { Lease, Revised } from "@muster/store";
import type { StoredRunConfig } from "./run-config.ts";

/** A workforce agent. The document is also its queue: one write decides who is next and whether a run may begin. */
export interface AgentDocument extends Revised, AuditFields {
  /** `agt_…` */
  _id: string;
  projectId: string;
  /** Unique in the project. Absent if it is deleted, or was created before slugs: see `slugOf`. */
  slug?: string;
  /** A project as files manages it. Absent: none does. */
  managed?: boolean;
  name: string;
  definition: HiredDefinition;
  trigger: MessageTrigger;
  /** The capabilities that the definition declares, with their defaults. */
  declared: Record<string, boolean>;
  /** The definition's own settings of its main thread, as far as its session input decides them. */
  base: StoredRunConfig;
  /** JSON object: the session input of every thread. */
  input: string;
  computer: AgentComputer;
  /** It starts no runs. The current one finishes. */
  paused: boolean;
  /** Rises with every write. */
  rev: number;
  /** Threads that wait, in the order in which they will run. A thread is accepted exactly if it is in it. */
  queue: string[];
  /** The run that occupies the agent. Readers ignore one that has ended: see `isOccupied`. */
  current: CurrentRun | null;
  /** Who drives the current run. Null if there is none. */
  lease: Lease | null;
  /** Rises whenever a process takes the slot. Writers with a lower one are refused everywhere. */
  epoch: number;
  /** Set while there may be something to run: a queue, or a current run. Found by `work` without reading other agents. */
  work?: true;
  /** The stored settings of its runs. */
  settings: StoredRunConfig;
  /** The capabilities that were set for it. Others have the default of the definition. */
  capabilities: Record<string, boolean>;
  limits: MonthlyLimits;
  /** Stricter rules for the tool calls of its runs. Absent: none. */
  approvals?: ApprovalRules;
  createdAt: Date;
  /** Set once: it takes no work, and its threads, computer and keys are being removed. */
  deletedAt?: Date;
  /** Set until everything that belonged to a deleted agent is gone. */
  removing?: true;
}

/** The fields that follow from the version of its definition. */
export type DefinedFields = Pick<AgentDocument, "definition" | "trigger" | "declared" | "base">;

export interface HiredDefinition {
  /** `agt_…`, for the agents service. */
  agentId: string;
  /** For new threads. */
  version: number;
  /** Set if it is a pre-built agent. */
  slug?: string;
}

export const computerKinds = ["dedicated", "sandbox", "mac", "cli"] as const;
export type ComputerKind = (typeof computerKinds)[number];

export const computerOses = ["linux", "windows", "macos"] as const;
export type ComputerOs = (typeof computerOses)[number];

export interface AgentComputer {
  kind: ComputerKind;
  os: ComputerOs;
  /** `cmp_…`: one that several agents share. Absent: its own. */
  id?: string;
}

export interface CurrentRun {
  threadId: string;
  runId: string;
}

/** Identifies an agent in its project. */
export interface AgentKey {
  projectId: string;
  agentId: string;
}

/** Whose computer it is, for those who run it. */
export function ownerOf({ _id: agentId, projectId, name, computer }: AgentDocument): ComputerOwner {
  const { id: computerId, ...rest } = computer;
  return { agentId, projectId, agentName: name, ...rest, ...(computerId !== undefined && { computerId }) };
}

export function keyOfAgent({ _id: agentId, projectId }: Pick<AgentDocument, "_id" | "projectId">): AgentKey {
  return { projectId, agentId };
}
