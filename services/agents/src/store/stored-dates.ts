import type { AgentDocument, VersionDocument, VersionLine } from "./documents.ts";

type Dates = "createdAt" | "updatedAt" | "archivedAt";

/** A document as it was stored: earlier versions named the dates differently. */
type Stored<T> = Omit<T, Dates> &
  Partial<Pick<T, Dates & keyof T>> & { createTime?: Date; updateTime?: Date; archiveTime?: Date };

export type StoredAgent = Stored<AgentDocument>;
export type StoredVersion = Stored<VersionDocument>;

export function agentOf({ createTime, updateTime, archiveTime, ...agent }: StoredAgent): AgentDocument {
  const { createdAt = createTime, updatedAt = updateTime, archivedAt = archiveTime, ...rest } = agent;
  if (createdAt === undefined || updatedAt === undefined) throw new Error(`${agent._id} has no dates`);
  return { ...rest, createdAt, updatedAt, ...(archivedAt && { archivedAt }) };
}

export function versionOf({ createTime, ...version }: StoredVersion): VersionDocument {
  return { ...version, createdAt: dateOf(version, createTime) };
}

export function lineOf({ createTime, ...line }: Stored<VersionLine>): VersionLine {
  return { ...line, createdAt: dateOf(line, createTime) };
}

function dateOf({ version, createdAt }: { version: number; createdAt?: Date }, createTime?: Date): Date {
  const date = createdAt ?? createTime;
  if (date === undefined) throw new Error(`Version ${version} of an agent has no date`);
  return date;
}
