import { setTimeout as delay } from "node:timers/promises";
import type { Machine } from "@muster/engine";
import { FairBudget, type Logger } from "@muster/service";
import { inBatches } from "@muster/store";
import { firstSequenceIn, type LogDocument, type LogHeader, type LogStore } from "../../store/log-store.ts";
import type { SessionKey } from "../../store/moves.ts";
import type { SessionDocument } from "../../store/session-document.ts";
import { ExecutionLog, type LogDependencies } from "./execution-log.ts";
import { LoggedMachine } from "./logged-machine.ts";

type ExecutionLogsOptions = LogWriterOptions &
  Omit<LogDependencies, "writer"> & { store: LogStore; isOn: boolean };

/** The last entries of a session that has rested for longer are stored or lost. */
const restedMs = 60_000;
const pollEveryMs = 10;

type EndedTurn = Pick<SessionDocument, "lastEntry" | "updatedAt">;

export function createExecutionLogs(options: ExecutionLogsOptions) {
  const { store, isOn, clock, catalog, keepMs } = options;
  const writer = createLogWriter(options);
  const dependencies = { clock, catalog, keepMs, writer };
  return {
    store,
    /** The machine whose work is recorded; before its first input. `executionLog`: absent if logs are off. */
    begin: (machine: Machine): { machine: Machine; executionLog?: ExecutionLog } => {
      if (!isOn) return { machine };
      const executionLog = new ExecutionLog(dependencies);
      return { machine: new LoggedMachine(machine, executionLog), executionLog };
    },
    /** Before a read: returns when everything that this instance has recorded so far can be read. */
    flush: () => writer.flush(),
    /** All documents of a log. If its last turn has just ended on another instance, waits a while for the entries of its end. */
    headers: async (key: SessionKey, session: EndedTurn | null): Promise<LogHeader[]> => {
      const isRecent = session !== null && clock.now() - session.updatedAt.getTime() <= restedMs;
      const untilMs = performance.now() + (isRecent && options.gatherMs === 0 ? options.maxWaitMs : 0);
      for (;;) {
        const headers = await store.headers(key);
        const last = headers.at(-1);
        const stored = last === undefined ? 0 : firstSequenceIn(last) + last.count - 1;
        if (stored >= (session?.lastEntry ?? 0) || performance.now() >= untilMs) return headers;
        await delay(pollEveryMs);
      }
    },
    /** Resolves when everything is written or lost. */
    close: () => writer.close(),
  };
}

/**
 * The entries that wait for the store, of all projects. More is dropped: the store does not keep up, or one project
 * writes too much.
 */
const maxQueuedLength = 8 * 1024 * 1024;
const maxBatch = 256;

interface LogWriterOptions extends Omit<Trimming, "store"> {
  store: Trimming["store"] & Pick<LogStore, "insert">;
  log: Logger;
  /**
   * How long documents gather before they are written. 0 if other instances must be able to read them as soon as a
   * turn has ended: its end then waits for the write.
   */
  gatherMs: number;
  /** How long the end of a turn, or a reader, waits for the store at most. */
  maxWaitMs: number;
}

/**
 * Stores the entries of all executions of this instance. Nothing here fails or delays a turn. While one write runs, the
 * documents of other executions gather for the next, so that many turns at once share their writes.
 */
export function createLogWriter(options: LogWriterOptions) {
  const { store, log, gatherMs, maxWaitMs } = options;
  const queued = new FairBudget(maxQueuedLength);
  let lastWrite: Promise<void> | undefined;
  let isFailing = false;
  /** A turn has waited in vain for the write in flight. */
  let isStuck = false;

  const lose = (fields: object, message: string): void => {
    if (!isFailing) log.warn(fields, message);
    isFailing = true;
  };

  const insert = async (documents: LogDocument[]): Promise<void> => {
    for (const { projectId, length } of documents) queued.give(projectId, length);
    try {
      await store.insert(documents);
      isFailing = false;
    } catch (error) {
      lose({ err: error }, "entries of execution logs could not be stored and are lost");
    }
    isStuck = false;
  };

  const { add, hurry } = inBatches(insert, { max: maxBatch, pauseMs: () => gatherMs });

  /** Waits for writes, but not long: if the store hangs, only the first one who waits notices. */
  const waitFor = async (writes: Promise<void> | undefined): Promise<void> => {
    if (isStuck || writes === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const limit = setTimeout(() => {
      isStuck = true;
      resolve();
    }, maxWaitMs);
    await Promise.race([writes, promise]);
    clearTimeout(limit);
  };

  return {
    /** Resolves when the document is stored or lost. Never rejects. */
    write: (document: LogDocument): Promise<void> => {
      if (!queued.take(document.projectId, document.length)) {
        lose({ queuedLength: queued.used }, "the store is too slow for the execution logs; entries are lost");
        return Promise.resolve();
      }
      lastWrite = add(document);
      return lastWrite;
    },

    /** At the end of a turn: returns when its entries can be read. */
    settle: (writes: Promise<void>): Promise<void> => (gatherMs === 0 ? waitFor(writes) : Promise.resolve()),

    /** Before a read: returns when everything that was recorded so far can be read. */
    flush: (): Promise<void> => {
      hurry();
      return waitFor(lastWrite);
    },

    /** See `trimLog`. */
    trim: async (key: SessionKey): Promise<void> => {
      try {
        await trimLog(options, key);
      } catch (error) {
        lose({ err: error }, "an execution log could not be trimmed");
      }
    },

    /** Resolves when everything is written or lost. */
    close: async (): Promise<void> => {
      hurry();
      await lastWrite;
    },
  };
}

interface LogLimits {
  /** The entries of one session. */
  maxEntries: number;
  /** The characters of JSON of one session. */
  maxLength: number;
}

/** A log is read through the newest 3,000, and without its model requests these reach further back. */
export const defaultMaxEntries = 10_000;

interface Trimming {
  store: Pick<LogStore, "headers" | "dropRequests" | "delete">;
  limits: LogLimits;
  /** The executions whose messages are stored. */
  storedExecutions(key: SessionKey): Promise<ReadonlySet<string>>;
}

/**
 * Makes room in a log that is too long, from its oldest document on: first goes what models were sent, which follows from the
 * rest, then the entries of turns that are no longer stored. The turns of the conversation keep their entries, however many
 * they are: nothing else shows those that became part of a summary. The newest document stays.
 */
export async function trimLog({ store, limits, storedExecutions }: Trimming, key: SessionKey): Promise<void> {
  const headers = await store.headers(key);
  const old = headers.slice(0, -1);
  const size = sizeOf(headers);
  const isTooLong = () => size.entries > limits.maxEntries || size.length > limits.maxLength;
  for (const header of old) {
    if (!isTooLong()) return;
    if (header.requests === 0) continue;
    const left = await store.dropRequests(key, header._id);
    size.entries -= header.count - left.count;
    size.length -= header.length - left.length;
    Object.assign(header, left);
  }
  if (!isTooLong()) return;
  const stored = await storedExecutions(key);
  const removed: string[] = [];
  for (const { _id, executionId, count, length } of old) {
    if (!isTooLong()) break;
    if (stored.has(executionId)) continue;
    removed.push(_id);
    size.entries -= count;
    size.length -= length;
  }
  if (removed.length > 0) await store.delete(key, removed);
}

function sizeOf(headers: readonly LogHeader[]) {
  const size = { entries: 0, length: 0 };
  for (const { count, length } of headers) {
    size.entries += count;
    size.length += length;
  }
  return size;
}
