import type { Doc } from "../bson/value.ts";
import type { Store } from "../open-store.ts";
import type { Steps } from "../steps.ts";
import { isFull } from "../storage/database.ts";
import type { Connection } from "../wire/connection.ts";
import { isMalformed } from "../wire/messages.ts";
import { Job } from "./job.ts";
import type { Fault } from "./note-fault.ts";
import { Requests } from "./requests.ts";
import { SharedCommit } from "./shared-commit.ts";
import { Transaction } from "./transaction.ts";
import { Turns } from "./turns.ts";

/** New commands get little time at first, because many can arrive at once. */
const firstSliceMs = 4;

/** No client waits much longer than this for another one's command. */
const sliceMs = 6;

/** No client waits for maintenance. */
const maintenanceSliceMs = 4;

/** A longer transaction would take long to commit, while all clients wait. */
const maxTransactionMs = 25;

export interface ExecutorOptions {
  /** Starts a turn once the event loop has read from all connections. Default: `setImmediate`. */
  readonly schedule?: (turn: () => void) => void;
  /** How long a write for which no client waits may collect slices in one transaction. Default 25. */
  readonly maxTransactionMs?: number;
}

/**
 * Runs commands. All writes in one turn of the event loop share a transaction, and every reply in that turn waits for
 * its commit: no write is acknowledged or shown to a reader before it is on disk. Long commands run in slices, one
 * slice of one command per turn, so that others run in between.
 */
export class Executor {
  readonly #store: Store;
  readonly #requests: Requests;
  readonly #turns: Turns;
  readonly #commit: SharedCommit;
  readonly #transaction: Transaction;

  constructor(store: Store, log: (line: string) => void, options: ExecutorOptions) {
    this.#store = store;
    this.#requests = new Requests(store, (job) => this.#advance(job, firstSliceMs), log);
    this.#commit = new SharedCommit(options.maxTransactionMs ?? maxTransactionMs);
    this.#turns = new Turns(
      options.schedule ?? setImmediate,
      (job) => this.#runTurn(job),
      () => store.database.inTransaction,
    );
    const recovery = {
      stop: (job: Job) => this.#turns.stop(job),
      repeat: (job: Job) => this.#requests.repeat(job),
      divide: (job: Job) => this.#requests.divide(job),
      refuse: (job: Job, fault: Fault) => this.#refuse(job, fault),
      runInBackground: (steps: Steps<undefined>) => this.runInBackground(steps),
    };
    this.#transaction = new Transaction(store, this.#commit, recovery, log);
  }

  /** Runs the requests in these messages. */
  receive(connection: Connection, messages: Iterable<Buffer>): void {
    this.#requests.receive(connection, messages);
  }

  /** Runs maintenance in slices. */
  runInBackground(steps: Steps<undefined>): void {
    this.#turns.pause(new Job(steps));
  }

  /** Runs maintenance now, committed at the end of the turn. */
  maintain(work: () => void): void {
    try {
      this.#prepareMaintenance();
      work();
      this.#store.database.endCommand();
    } catch (error) {
      this.#transaction.undo(error);
    }
    if (this.#store.database.inTransaction) this.#turns.plan();
  }

  #prepareMaintenance(): void {
    this.#store.database.freesSpace = true;
    this.#store.database.writesPerCommit = Number.POSITIVE_INFINITY;
    this.#store.database.pace.limitTo(Number.POSITIVE_INFINITY);
  }

  // Commits first, so that the replies of many clients share a commit.
  #runTurn(job: Job | undefined): void {
    const { database } = this.#store;
    const isDue =
      database.inTransaction && (this.#commit.isDue || database.isBackingUp || job?.isDivided === true);
    if (isDue) this.flush();
    // Takes as long as a slice and a commit, so others run in between.
    if (isDue && database.shortenLog()) {
      if (job) this.#turns.defer(job);
      return;
    }
    if (!job || job.isStopped) return;
    if (job.isAbandoned) {
      this.#commit.leave(job);
      job.stop();
    } else if (job.request) this.#advance(job, sliceMs);
    else {
      this.#prepareMaintenance();
      this.#advance(job, maintenanceSliceMs);
    }
  }

  #advance(job: Job, lengthMs: number): void {
    const { database } = this.#store;
    try {
      database.pace.startSlice(lengthMs);
      if (this.#commit.isAlone(job)) database.continueAlone();
      const { writes } = database;
      const step = job.steps.next();
      if (database.writes !== writes) job.hasWritten = true;
      database.endCommand();
      if (step.done) this.#finish(job, step.value);
      else if (step.value instanceof Promise) this.#wait(job, step.value);
      else this.#pause(job, step.value);
    } catch (error) {
      if (isMalformed(error)) throw error;
      this.#fail(job, error);
    } finally {
      database.pace.endSlices();
    }
  }

  // Commands that wait do not write before.
  #wait(job: Job, condition: Promise<unknown>): void {
    job.holdConnection();
    this.#turns.wait(job, condition);
  }

  #pause(job: Job, progress: Doc | undefined): void {
    job.pause(progress);
    if (this.#store.database.inTransaction) this.#commit.pause(job);
    this.#turns.pause(job);
  }

  #finish(job: Job, reply: Doc | undefined): void {
    if (this.#store.database.inTransaction) {
      this.#commit.end(job, reply);
      this.#turns.plan();
    } else {
      this.#store.cursors.settle();
      job.reply(reply);
    }
    this.#requests.continueAfter(job);
  }

  #fail(job: Job, error: unknown): void {
    // A delete makes room on a full disk, so it continues with the reserve and needs it for itself.
    const isDivided = isFull(error) && job.isDivisible;
    if (!isDivided) this.#commit.leave(job);
    const fault = this.#transaction.undo(error);
    if (isDivided) this.flush();
    // The whole transaction was lost, and the job continues with the others in it.
    if (job.isStopped) return;
    if (isDivided) {
      this.#commit.leave(job);
      this.#requests.divide(job);
    } else this.#refuse(job, fault);
  }

  #refuse(job: Job, { reply }: Fault): void {
    job.reply(reply(job.hasCommitted));
    this.#requests.continueAfter(job);
  }

  /** Commits now and sends the replies waiting for the commit. */
  flush(): void {
    this.#transaction.flush();
  }

  /** Ends all running commands without a reply, and commits. Later requests are ignored. */
  async close(): Promise<void> {
    await this.#turns.close();
    this.#requests.close();
    this.flush();
  }
}
