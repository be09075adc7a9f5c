import { type Continuation, start } from "../commands/dispatch.ts";
import type { Store } from "../open-store.ts";
import type { Connection } from "../wire/connection.ts";
import { isMalformed, parseBody, parseEnvelope } from "../wire/messages.ts";
import { Job, writesPerCommitOf } from "./job.ts";

/** Makes jobs of the messages on connections: those of one connection run one after another. */
export class Requests {
  readonly #store: Store;
  readonly #run: (job: Job) => void;
  readonly #log: (line: string) => void;
  #isClosed = false;

  constructor(store: Store, run: (job: Job) => void, log: (line: string) => void) {
    this.#store = store;
    this.#run = run;
    this.#log = log;
  }

  /** Runs the requests in these messages one after another. Bytes that are not a message close their connection. */
  receive(connection: Connection, messages: Iterable<Buffer>): void {
    try {
      for (const message of messages) this.#handle(connection, message);
    } catch (error) {
      if (!isMalformed(error)) throw error;
      this.#log(`closing the connection from ${connection.peer}: ${error.message}`);
      connection.socket.destroy();
    }
  }

  #handle(connection: Connection, message: Buffer, attempt = 0, continuation?: Continuation): void {
    if (this.#isClosed) return;
    if (connection.isBusy) {
      connection.wait(message);
      return;
    }
    const envelope = parseEnvelope(message);
    const steps = start(this.#store, () => parseBody(message, envelope), connection, continuation);
    this.#run(new Job(steps, { message, connection, envelope, attempt }, continuation?.progress));
  }

  /** The job has ended: the requests that waited for it run. */
  continueAfter(job: Job): void {
    const { request } = job;
    if (request && job.releaseConnection()) this.receive(request.connection, request.connection.waiting());
  }

  /** Runs a command again from its start. */
  repeat(job: Job): void {
    this.#repeat(job, 1);
  }

  /** Runs a command again from its last commit, with fewer writes in each commit if it could not commit any. */
  divide(job: Job): void {
    const { attempt = 0 } = job.request ?? {};
    const next = job.hasCommitted ? Math.max(attempt, 1) : attempt + 1;
    const writesPerCommit = writesPerCommitOf[next] ?? 1;
    this.#repeat(job, next, { progress: job.committed, writesPerCommit });
  }

  #repeat(job: Job, attempt: number, continuation?: Continuation): void {
    const { request } = job;
    if (!request) return;
    job.releaseConnection();
    this.#handle(request.connection, request.message, attempt, continuation);
    // It may have ended without a pause, and others wait for the first attempt.
    this.receive(request.connection, request.connection.waiting());
  }

  /** From now on, requests are ignored: their connections are about to close, and the store with them. */
  close(): void {
    this.#isClosed = true;
  }
}
