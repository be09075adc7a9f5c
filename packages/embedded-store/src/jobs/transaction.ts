import type { Store } from "../open-store.ts";
import type { Steps } from "../steps.ts";
import { emptyTrash } from "../storage/trash.ts";
import type { Job } from "./job.ts";
import type { Fault } from "./note-fault.ts";
import { noteFault } from "./note-fault.ts";
import type { SharedCommit } from "./shared-commit.ts";

/** The fate of the jobs in a transaction that was lost. */
export interface Recovery {
  /** Ends a paused job. */
  stop(job: Job): void;
  /** Runs a command again from its start. */
  repeat(job: Job): void;
  /** Runs a command again from its last commit, with smaller commits. */
  divide(job: Job): void;
  refuse(job: Job, fault: Fault): void;
  runInBackground(steps: Steps<undefined>): void;
}

/** Commits the open transaction or undoes it, in parts or whole. */
export class Transaction {
  readonly #store: Store;
  readonly #commit: SharedCommit;
  readonly #recovery: Recovery;
  readonly #log: (line: string) => void;
  #isEmptyingTrash = false;

  constructor(store: Store, commit: SharedCommit, recovery: Recovery, log: (line: string) => void) {
    this.#store = store;
    this.#commit = commit;
    this.#recovery = recovery;
    this.#log = log;
  }

  /** Commits now and sends the replies waiting for the commit. */
  flush(): void {
    const { database, cursors } = this.#store;
    if (!database.inTransaction) return;
    try {
      database.commit();
    } catch (error) {
      this.#recover(noteFault(this.#store, error, this.#log));
      return;
    }
    cursors.settle();
    for (const { job, reply } of this.#commit.complete()) job.reply(reply);
    if (!database.hasTrash || this.#isEmptyingTrash) return;
    this.#isEmptyingTrash = true;
    this.#recovery.runInBackground(this.#emptyTrash());
  }

  /** Undoes a slice that failed inside the store, without touching the writes of others in the transaction. */
  undo(error: unknown): Fault {
    const fault = noteFault(this.#store, error, this.#log);
    if (this.#store.database.undoCommand()) this.#store.catalog.reload();
    else this.#recover(fault);
    return fault;
  }

  // The rollback has undone the writes of every command in the transaction. They run again, each with its own commit,
  // so that only those fail that cannot succeed: on a full disk, writes that do not make room.
  #recover(fault: Fault): void {
    this.#store.database.rollback();
    this.#store.catalog.reload();
    this.#store.cursors.undo();
    for (const job of this.#commit.undo()) {
      // Maintenance continues from the stored state.
      if (!job.request) continue;
      this.#recovery.stop(job);
      const needsRoom = fault.isFull && job.hasWritten;
      if (needsRoom ? job.isDivisible : job.isRepeatable) {
        if (needsRoom) this.#recovery.divide(job);
        else this.#recovery.repeat(job);
        this.flush();
      } else this.#recovery.refuse(job, fault);
    }
  }

  // One at a time: two would empty and drop the same tables.
  *#emptyTrash(): Steps<undefined> {
    const { database, catalog } = this.#store;
    try {
      while (database.hasTrash) {
        database.hasTrash = false;
        yield* emptyTrash(database, () => catalog.building);
      }
    } finally {
      this.#isEmptyingTrash = false;
    }
    return undefined;
  }
}
