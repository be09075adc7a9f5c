import { isDuplicateKey } from "@muster/store";
import type { Collection, Db } from "mongodb";
import type { ProjectDocument } from "./documents.ts";

/** Projects. They are never removed. */
export interface ProjectStore {
  insert(project: ProjectDocument): Promise<void>;
  /** Creates a project; leaves an existing one with that id unchanged. */
  insertIfAbsent(project: ProjectDocument): Promise<void>;
  find(id: string): Promise<ProjectDocument | null>;
  /** Oldest first. */
  list(): Promise<ProjectDocument[]>;
}

export function createProjectStore(db: Db): ProjectStore {
  const projects: Collection<ProjectDocument> = db.collection("projects");
  const insert = async (project: ProjectDocument) => {
    await projects.insertOne(project);
  };
  return {
    insert,
    insertIfAbsent: (project) =>
      insert(project).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      }),
    find: (id) => projects.findOne({ _id: id }),
    list: () => projects.find().sort({ createdAt: 1, _id: 1 }).toArray(),
  };
}
