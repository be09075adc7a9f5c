import type { Doc } from "../bson/value.ts";
import type { Job } from "./job.ts";

/** A job whose reply waits for the commit. */
export interface EndedJob {
  readonly job: Job;
  readonly reply: Doc | undefined;
}

/**
 * The jobs in the open transaction. Its commit is due as soon as a reply waits for it, or if no job adds to it anymore.
 * A long write alone commits only now and then, because each commit forces the disk to write.
 */
export class SharedCommit {
  readonly #maxAgeMs: number;
  readonly #paused = new Set<Job>();
  #ended: EndedJob[] = [];
  #startedAtMs = 0;

  constructor(maxAgeMs: number) {
    this.#maxAgeMs = maxAgeMs;
  }

  /** The job has paused; its next slice may add to the transaction. */
  pause(job: Job): void {
    if (this.#paused.size === 0) this.#startedAtMs = performance.now();
    this.#paused.add(job);
  }

  end(job: Job, reply: Doc | undefined): void {
    this.#paused.delete(job);
    this.#ended.push({ job, reply });
  }

  /** The job has failed or been stopped. */
  leave(job: Job): void {
    this.#paused.delete(job);
  }

  /** Whether the transaction contains only this job's writes, and no other job has read them. */
  isAlone(job: Job): boolean {
    return this.#ended.length === 0 && this.#paused.size === 1 && this.#paused.has(job);
  }

  get isDue(): boolean {
    if (this.#ended.length > 0 || this.#paused.size === 0) return true;
    return performance.now() - this.#startedAtMs >= this.#maxAgeMs;
  }

  /** After the commit: returns the jobs whose replies can be sent. */
  complete(): readonly EndedJob[] {
    for (const job of this.#paused) job.noteCommit();
    const ended = this.#ended;
    this.#clear();
    return ended;
  }

  /** After a rollback: returns the jobs whose writes are undone. */
  undo(): readonly Job[] {
    const jobs = [...this.#ended.map(({ job }) => job), ...this.#paused];
    this.#clear();
    return jobs;
  }

  #clear(): void {
    this.#ended = [];
    this.#paused.clear();
  }
}
