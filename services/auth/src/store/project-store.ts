import type { ApprovalRules } from "@muster/rpc";
import { unlessDuplicate } from "@muster/store";
import type { Collection, Db } from "mongodb";
import type { ProjectDocument, ProjectLimits, ToolHost } from "./documents.ts";

/** Absent fields stay unchanged; a limit that is null is removed. */
export interface ProjectChanges {
  name?: string;
  limits?: { [Name in keyof ProjectLimits]: ProjectLimits[Name] | null };
  /** Replaces all of them. */
  approvals?: ApprovalRules;
  /** Replaces all of them. */
  toolHosts?: ToolHost[];
}

/** Projects. They are never removed. */
export function createProjectStore(db: Db) {
  const projects: Collection<ProjectDocument> = db.collection("projects");
  const insert = async (project: ProjectDocument) => {
    await projects.insertOne(project);
  };
  return {
    insert,
    /** Creates a project; leaves an existing one with that id unchanged. */
    insertIfAbsent: async (project: ProjectDocument) => {
      await unlessDuplicate(insert(project));
    },
    find: (id: string) => projects.findOne({ _id: id }),
    /** The changed project. Null if it does not exist. */
    update: (id: string, { limits = {}, ...fields }: ProjectChanges) => {
      const set: Record<string, unknown> = { ...fields };
      const unset: Record<string, ""> = {};
      for (const [limit, value] of Object.entries(limits)) {
        if (value === null) unset[`limits.${limit}`] = "";
        else if (value !== undefined) set[`limits.${limit}`] = value;
      }
      const update = {
        ...(Object.keys(set).length > 0 && { $set: set }),
        ...(Object.keys(unset).length > 0 && { $unset: unset }),
      };
      if (Object.keys(update).length === 0) return projects.findOne({ _id: id });
      return projects.findOneAndUpdate({ _id: id }, update, { returnDocument: "after" });
    },
    /** Oldest first. */
    list: () => projects.find().sort({ createdAt: 1, _id: 1 }).toArray(),
  };
}
