import { type AuditEntry, auditIndex } from "@muster/events/audit";
import type { ApprovalRules, LimitChanges } from "@muster/rpc";
import { atRevision, type CollectionIndexes, nextRevision, unlessDuplicate } from "@muster/store";
import type { Collection, Db } from "mongodb";
import type { ProjectDocument, ProjectLimits, ToolHost } from "./documents.ts";

/** Absent fields stay unchanged; a limit that is null is removed. */
export interface ProjectChanges {
  name?: string;
  limits?: LimitChanges & {
    [Name in "requestsPerMinute" | "subjectMonthlyUsd"]?: ProjectLimits[Name] | null;
  };
  /** Changes of `ProjectLimits.overall`. */
  overall?: Omit<LimitChanges, "monthlyRuns">;
  /** Replaces all of them. */
  approvals?: ApprovalRules;
  /** Replaces all of them. */
  toolHosts?: ToolHost[];
}

export const projectIndexes: CollectionIndexes = { collection: "projects", indexes: [auditIndex] };

/** Projects. They are never removed. */
export function createProjectStore(db: Db) {
  const projects: Collection<ProjectDocument> = db.collection(projectIndexes.collection);
  const insert = async (project: ProjectDocument) => {
    await projects.insertOne(project);
  };
  return {
    collection: projects,
    insert,
    /** Creates a project; leaves an existing one with that id unchanged. */
    insertIfAbsent: async (project: ProjectDocument) => {
      await unlessDuplicate(insert(project));
    },
    find: (id: string) => projects.findOne({ _id: id }),
    /** The changed project. Null if it does not exist, or is not at an expected revision. */
    update: (
      id: string,
      { limits = {}, overall = {}, ...fields }: ProjectChanges,
      entry: AuditEntry,
      expected: readonly number[] = [],
    ) => {
      const filter = { _id: id, ...atRevision(expected) };
      const update = changesOf(fields, { limits, "limits.overall": overall });
      if (Object.keys(update).length === 0) return projects.findOne(filter);
      return projects.findOneAndUpdate(
        filter,
        { ...update, $inc: nextRevision, $push: { audit: entry } },
        { returnDocument: "after" },
      );
    },
    /** Oldest first. */
    list: () => projects.find().sort({ createdAt: 1, _id: 1 }).toArray(),
  };
}

/** `within`: fields of embedded documents, by their places. Null removes a field. Nothing to change: no operators. */
export function changesOf(fields: object, within: Record<string, object>) {
  const set: Record<string, unknown> = { ...fields };
  const unset: Record<string, ""> = {};
  for (const [place, changes] of Object.entries(within))
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) unset[`${place}.${name}`] = "";
      else if (value !== undefined) set[`${place}.${name}`] = value;
    }
  return {
    ...(Object.keys(set).length > 0 && { $set: set }),
    ...(Object.keys(unset).length > 0 && { $unset: unset }),
  };
}
