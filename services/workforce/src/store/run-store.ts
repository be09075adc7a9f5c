import { monthOf } from "@muster/rpc";
import { type CollectionIndexes, unlessDuplicate } from "@muster/store";
import type { Collection, Db } from "mongodb";
import type { AgentKey } from "./agent-document.ts";
import type { ThreadKey } from "./thread-document.ts";

const collectionName = "runs";

/** A turn of a thread that was begun, for the limits of runs in a month. */
interface RunDocument {
  /** `<threadId>:<turn>` */
  _id: string;
  projectId: string;
  agentId: string;
  /** `2026-11`, in UTC. */
  month: string;
  /** Rows are removed once no limit can ask for their month. */
  startedAt: Date;
}

const keepSeconds = 70 * 24 * 3_600;

export const runIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [
    { name: "by_agent", key: { projectId: 1, agentId: 1, month: 1 } },
    { name: "by_project", key: { projectId: 1, month: 1 } },
    { name: "old", key: { startedAt: 1 }, expireAfterSeconds: keepSeconds },
  ],
};

export type RunStore = ReturnType<typeof createRunStore>;

export function createRunStore(db: Db) {
  const runs: Collection<RunDocument> = db.collection(collectionName);
  return {
    /** A turn begins. Counted once, however often this is repeated. */
    record: async ({ projectId, agentId, threadId }: ThreadKey, turn: number, at: Date): Promise<void> => {
      const run = {
        _id: `${threadId}:${turn}`,
        projectId,
        agentId,
        month: monthOf(at.getTime()),
        startedAt: at,
      };
      await unlessDuplicate(runs.insertOne(run));
    },

    /** The runs of a month, of one agent or of the whole project; at most `limit` are counted. */
    count: (
      { projectId, agentId }: { projectId: string; agentId?: string },
      month: string,
      limit: number,
    ): Promise<number> =>
      runs.countDocuments({ projectId, ...(agentId !== undefined && { agentId }), month }, { limit }),

    deleteOf: async ({ projectId, agentId }: AgentKey): Promise<void> => {
      await runs.deleteMany({ projectId, agentId });
    },
  };
}
