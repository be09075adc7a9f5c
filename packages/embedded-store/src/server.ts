import { chmodSync } from "node:fs";
import { createServer, type ListenOptions, type Server, type Socket } from "node:net";
import type { Doc } from "./bson/value.ts";
import { errorReply, freesSpace, start } from "./commands/dispatch.ts";
import { StoreError } from "./errors.ts";
import type { Steps } from "./steps.ts";
import { isFull } from "./storage/database.ts";
import { NoRoomError } from "./storage/disk-reserve.ts";
import { emptyTrash } from "./storage/trash.ts";
import type { Store } from "./store.ts";
import { Connection } from "./wire/connection.ts";
import { type Envelope, encodeReply, isMalformed, parseBody, parseEnvelope } from "./wire/messages.ts";
import { MessageSplitter } from "./wire/splitter.ts";

const closeDeadlineMs = 1000;

/** New commands get little time at first, because many can arrive at once. */
const firstSliceMs = 4;

/** No client waits much longer than this for another one's command. */
const sliceMs = 10;

interface Request {
  /** Kept to repeat the request if the disk is full and it frees space. */
  readonly message: Buffer;
  readonly connection: Connection;
  readonly envelope: Envelope;
  readonly isRepeated: boolean;
}

/** A command, or internal maintenance. */
interface Job {
  readonly steps: Steps<Doc | undefined>;
  readonly request?: Request;
}

/** A job with writes in the open transaction: complete with a reply, or paused. */
interface PendingJob {
  readonly job: Job;
  readonly reply?: Doc;
}

/**
 * Serves connections. All writes in one turn of the event loop share a transaction, and every reply in that
 * turn waits for its commit: no write is acknowledged or shown to a reader before it is on disk. Long commands run in
 * slices, one slice of one command per turn, so that others run in between.
 */
export class StoreServer {
  readonly #store: Store;
  readonly #log: (line: string) => void;
  readonly #schedule: (turn: () => void) => void;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  /** Paused jobs in the order of their turns. */
  #paused: Job[] = [];
  readonly #waiting = new Map<Job, Promise<void>>();
  #isClosing = false;
  #pending: PendingJob[] = [];
  #isTurnPlanned = false;

  /** `schedule` runs a turn once the event loop has read from all connections. */
  constructor(
    store: Store,
    log: (line: string) => void,
    schedule: (turn: () => void) => void = setImmediate,
  ) {
    this.#store = store;
    this.#log = log;
    this.#schedule = schedule;
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Starts listening and returns the address as host:port. */
  async listen(host: string, port: number): Promise<string> {
    await this.#listen({ host, port });
    const address = this.#server.address();
    if (address === null || typeof address === "string")
      throw new Error("the server does not have a TCP address");
    this.#store.address = `${host}:${address.port}`;
    return this.#store.address;
  }

  /** Listens on a Unix socket that only the process's owner can connect to. */
  async listenOnSocket(path: string): Promise<void> {
    await this.#listen({ path });
    chmodSync(path, 0o600);
    this.#store.address = path;
  }

  async #listen(where: ListenOptions): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(where, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    // One connection could not be accepted (out of file descriptors); the client retries.
    this.#server.on("error", (error) => this.#log(`could not accept a connection: ${error.message}`));
  }

  /** Stops paused commands, commits the open transaction, sends its replies, and closes every connection. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const { steps } of this.#waiting.keys()) steps.return(undefined);
    await Promise.all(this.#waiting.values());
    this.#stopPaused();
    this.flush();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroySoon();
    const deadline = setTimeout(() => this.#destroySockets(), closeDeadlineMs);
    await closed;
    clearTimeout(deadline);
    // The last connection may have closed in the same turn in which another sent a write.
    this.#stopPaused();
    this.flush();
  }

  #stopPaused(): void {
    for (const { steps } of this.#paused) steps.return(undefined);
    this.#paused = [];
  }

  // A client that does not read its replies must not keep the server from stopping.
  #destroySockets(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): void {
    const splitter = new MessageSplitter();
    const connection = new Connection(socket);
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    // The client reset the connection; "close" follows and the driver reconnects.
    socket.on("error", (error) => this.#log(`connection failed: ${error.message}`));
    socket.on("data", (chunk: Buffer) => {
      this.#guard(connection, () => {
        for (const message of splitter.push(chunk)) {
          if (connection.isBusy) connection.wait(message);
          else this.#handle(connection, message);
        }
      });
    });
  }

  // Bytes that are not a message close their connection, and only that one.
  #guard(connection: Connection, handle: () => void): void {
    try {
      handle();
    } catch (error) {
      if (!isMalformed(error)) throw error;
      this.#log(`closing the connection from ${connection.peer}: ${error.message}`);
      connection.socket.destroy();
    }
  }

  #handle(connection: Connection, message: Buffer, isRepeated = false): void {
    const envelope = parseEnvelope(message);
    const steps = start(this.#store, () => parseBody(message, envelope));
    this.#advance({ steps, request: { message, connection, envelope, isRepeated } }, firstSliceMs);
  }

  /** Runs maintenance in slices. */
  runInBackground(steps: Steps<undefined>): void {
    this.#paused.push({ steps });
    this.#planTurn();
  }

  #advance(job: Job, lengthMs: number): void {
    const { database } = this.#store;
    try {
      database.pace.startSlice(lengthMs);
      const step = job.steps.next();
      database.endCommand();
      if (step.done) this.#finish(job, step.value);
      else if (step.value instanceof Promise) this.#wait(job, step.value);
      else this.#pause(job);
    } catch (error) {
      if (isMalformed(error)) throw error;
      this.#fail(job, error);
    } finally {
      database.pace.endSlices();
    }
  }

  // Commands that wait do not write before.
  #wait(job: Job, condition: Promise<unknown>): void {
    if (job.request) job.request.connection.isBusy = true;
    const done = condition.then(() => {
      this.#waiting.delete(job);
      if (this.#isClosing) return;
      this.#paused.push(job);
      this.#planTurn();
    });
    this.#waiting.set(job, done);
  }

  #pause(job: Job): void {
    if (job.request) job.request.connection.isBusy = true;
    if (this.#store.database.inTransaction) this.#pending.push({ job });
    this.#paused.push(job);
    this.#planTurn();
  }

  #finish(job: Job, reply: Doc | undefined): void {
    if (this.#store.database.inTransaction) {
      this.#pending.push(reply ? { job, reply } : { job });
      this.#planTurn();
    } else this.#reply(job, reply);
    this.#continueConnection(job);
  }

  #continueConnection({ request }: Job): void {
    if (!request?.connection.isBusy) return;
    const { connection } = request;
    connection.isBusy = false;
    this.#guard(connection, () => {
      for (let next = connection.next(); next; next = connection.next()) this.#handle(connection, next);
    });
  }

  #fail(job: Job, error: unknown): void {
    const hasReserve = this.#releaseReserve(error);
    const reply = this.#undo(error, hasReserve);
    if (hasReserve && this.#canRepeat(job)) this.#repeat(job);
    else {
      this.#reply(job, reply);
      this.#continueConnection(job);
    }
  }

  // A delete makes room on a full disk, so it is repeated with the reserve.
  #canRepeat({ request }: Job): boolean {
    return (
      request !== undefined && !request.isRepeated && freesSpace(parseBody(request.message, request.envelope))
    );
  }

  #repeat({ request }: Job): void {
    if (request) this.#handle(request.connection, request.message, true);
  }

  // Undoes a slice that failed inside the store, without touching the writes of others in the transaction.
  #undo(error: unknown, hasReserve: boolean): Doc {
    const reply = errorReply(this.#describeFault(error));
    if (this.#store.database.undoCommand()) this.#store.catalog.reload();
    else this.#failPending(reply, hasReserve);
    return reply;
  }

  #releaseReserve(error: unknown): boolean {
    return isFull(error) && this.#store.database.releaseReserve();
  }

  /** Runs internal maintenance, committed at the end of the turn. */
  maintain(work: () => void): void {
    try {
      this.#prepareMaintenance();
      work();
      this.#store.database.endCommand();
    } catch (error) {
      this.#undo(error, this.#releaseReserve(error));
    }
    if (this.#store.database.inTransaction) this.#planTurn();
  }

  #prepareMaintenance(): void {
    this.#store.database.freesSpace = true;
    this.#store.database.pace.limitTo(Number.POSITIVE_INFINITY);
  }

  // Runs at the end of the turn so that all its writes share one commit.
  #planTurn(): void {
    if (this.#isTurnPlanned) return;
    this.#isTurnPlanned = true;
    this.#schedule(() => {
      this.#isTurnPlanned = false;
      this.flush();
      this.#runSlice();
      if (this.#paused.length > 0 || this.#store.database.inTransaction) this.#planTurn();
    });
  }

  #runSlice(): void {
    const job = this.#paused.shift();
    if (!job) return;
    const { request } = job;
    if (!request) this.#prepareMaintenance();
    // Nobody waits for the reply of a write concern 0, so its client may be gone.
    if (request?.connection.isClosed && !request.envelope.silent) job.steps.return(undefined);
    else this.#advance(job, sliceMs);
  }

  /** Commits now and sends the replies waiting for the commit. */
  flush(): void {
    if (!this.#store.database.inTransaction) return;
    try {
      this.#store.database.commit();
    } catch (error) {
      this.#failPending(errorReply(this.#describeFault(error)), this.#releaseReserve(error));
      return;
    }
    const ready = this.#pending;
    this.#pending = [];
    for (const { job, reply } of ready) this.#reply(job, reply);
    if (this.#store.database.hasTrash) this.#emptyTrash();
  }

  #emptyTrash(): void {
    this.#store.database.hasTrash = false;
    this.runInBackground(emptyTrash(this.#store.database, () => this.#store.catalog.building));
  }

  // The rollback discards every write in the transaction, so each of their clients gets an error.
  #failPending(reply: Doc, hasReserve: boolean): void {
    this.#store.database.rollback();
    this.#store.catalog.reload();
    this.#store.cursors.clear();
    const failed = this.#pending;
    this.#pending = [];
    for (const { job } of failed) {
      this.#paused = this.#paused.filter((other) => other !== job);
      job.steps.return(undefined);
      if (hasReserve && this.#canRepeat(job)) this.#repeat(job);
      else {
        this.#reply(job, reply);
        this.#continueConnection(job);
      }
    }
  }

  #describeFault(error: unknown): StoreError {
    // The fault that filled the disk is in the log already.
    if (error instanceof NoRoomError) return this.#store.database.diskFull();
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#log(`a command failed inside the store: ${text}`);
    if (isFull(error)) return this.#store.database.diskFull();
    return new StoreError("InternalError", "The store failed; nothing was written");
  }

  // A paused job does not have a reply yet.
  #reply({ request }: Job, reply: Doc | undefined): void {
    if (!request || !reply || request.envelope.silent) return;
    request.connection.send(encodeReply(request.envelope, reply));
  }
}
