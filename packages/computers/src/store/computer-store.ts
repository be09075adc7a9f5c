import type { Clock } from "@muster/service";
import { type CollectionIndexes, isDuplicateKey } from "@muster/store";
import type { Collection, Db, UpdateFilter } from "mongodb";
import type { ComputerOwner } from "../computer.ts";
import { StaleEpochError } from "../errors.ts";
import {
  type ComputerDocument,
  type LogLine,
  maxLogLines,
  maxOutcomes,
  maxSnapshots,
  type StoredOutcome,
} from "./documents.ts";
import type { Steps } from "./steps.ts";

const collectionName = "computers";

/** The holder of a computer, in whose name everything is read and written. */
export interface Holder {
  projectId: string;
  agentId: string;
  epoch: number;
}

/** The results of a call, stored in one write. */
export interface Publication {
  /** The manifest that the call worked on. */
  base: string | null;
  /** The new one; absent if nothing has changed. */
  manifest?: string;
  outcome?: StoredOutcome;
  log?: LogLine;
}

export const computerIndexes: readonly CollectionIndexes[] = [{ collection: collectionName, indexes: [] }];

/**
 * The documents of computers. A holder whose epoch is no longer the newest gets {@link StaleEpochError} from each
 * method.
 */
export function createComputerStore(db: Db, clock: Clock, steps: Steps = {}) {
  const computers: Collection<ComputerDocument> = db.collection(collectionName);
  const filterOf = ({ agentId, projectId, epoch }: Holder) => ({ _id: agentId, projectId, epoch });
  const write = async (
    holder: Holder,
    condition: Partial<Pick<ComputerDocument, "manifest">>,
    update: UpdateFilter<ComputerDocument>,
  ): Promise<void> => {
    const { matchedCount } = await computers.updateOne({ ...filterOf(holder), ...condition }, update);
    if (matchedCount === 0) throw new StaleEpochError(holder.agentId, holder.epoch);
  };
  return {
    /** Makes the holder the newest, and creates the computer if there is none. */
    async take({ projectId, agentId }: ComputerOwner, epoch: number): Promise<Holder> {
      const created = {
        manifest: null,
        outcomes: [],
        log: [],
        snapshots: [],
        createdAt: new Date(clock.now()),
      };
      try {
        await computers.updateOne(
          { _id: agentId, projectId, epoch: { $lte: epoch } },
          { $set: { epoch }, $setOnInsert: created },
          { upsert: true },
        );
      } catch (error) {
        // There is one with a newer epoch, so the filter missed it.
        if (isDuplicateKey(error)) throw new StaleEpochError(agentId, epoch);
        throw error;
      }
      return { projectId, agentId, epoch };
    },

    async read(holder: Holder): Promise<ComputerDocument> {
      const document = await computers.findOne(filterOf(holder));
      if (document === null) throw new StaleEpochError(holder.agentId, holder.epoch);
      return document;
    },

    async begin(holder: Holder, line: LogLine): Promise<void> {
      await steps.before?.("begin");
      await write(holder, {}, { $push: { log: { $each: [line], $slice: -maxLogLines } } });
    },

    async publish(holder: Holder, { base, manifest, outcome, log }: Publication): Promise<void> {
      await steps.before?.("publish");
      await write(
        holder,
        { manifest: base },
        {
          $set: { manifest: manifest ?? base },
          $push: {
            outcomes: { $each: outcome === undefined ? [] : [outcome], $slice: -maxOutcomes },
            log: { $each: log === undefined ? [] : [log], $slice: -maxLogLines },
          },
        },
      );
      await steps.before?.("answer");
    },

    async addSnapshot(holder: Holder, id: string): Promise<void> {
      const snapshot = { id, at: new Date(clock.now()) };
      await write(
        holder,
        { manifest: id },
        { $push: { snapshots: { $each: [snapshot], $slice: -maxSnapshots } } },
      );
    },

    /** Without a holder. */
    async find(projectId: string, agentId: string): Promise<ComputerDocument | null> {
      return computers.findOne({ _id: agentId, projectId });
    },

    async remove(projectId: string, agentId: string): Promise<boolean> {
      const { deletedCount } = await computers.deleteOne({ _id: agentId, projectId });
      return deletedCount > 0;
    },
  };
}

export type ComputerStore = ReturnType<typeof createComputerStore>;
