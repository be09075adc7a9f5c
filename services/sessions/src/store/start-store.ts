import { hash } from "node:crypto";
import { unlessDuplicate } from "@muster/store";
import type { Collection, Db } from "mongodb";

/** The session that the first request with an idempotency key opens. Never changes, and stays as long as its session. */
export interface StartDocument {
  /** Follows from the project, the agent and the key, so that only one request can insert it. */
  _id: string;
  projectId: string;
  agentId: string;
  /** Every process that opens the session opens it with this version. */
  agentVersion: number;
  sessionId: string;
  /** The execution of its first turn. */
  executionId: string;
  /** Other requests with the key are refused. */
  bodyHash: string;
  createdAt: Date;
}

/** Two agents or projects never share a key. */
export interface KeyScope {
  projectId: string;
  agentId: string;
  key: string;
}

export function createStartStore(db: Db) {
  const starts: Collection<StartDocument> = db.collection("session_starts");

  return {
    find: (scope: KeyScope): Promise<StartDocument | null> =>
      starts.findOne({ _id: startId(scope), projectId: scope.projectId }),

    /** False: another request was first. */
    insert: (start: StartDocument): Promise<boolean> => unlessDuplicate(starts.insertOne(start)),
  };
}

/** Callers' keys can be secret, so none is stored. */
export function startId({ projectId, agentId, key }: KeyScope): string {
  return hash("sha256", JSON.stringify([projectId, agentId, key]), "base64url");
}
