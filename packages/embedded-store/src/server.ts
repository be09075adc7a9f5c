import { chmodSync } from "node:fs";
import { createServer, type ListenOptions, type Server, type Socket } from "node:net";
import type { Doc } from "./bson/value.ts";
import { errorReply, execute, freesSpace } from "./commands/dispatch.ts";
import { StoreError } from "./errors.ts";
import { isFull } from "./storage/database.ts";
import { NoRoomError } from "./storage/disk-reserve.ts";
import type { Store } from "./store.ts";
import { type Envelope, encodeReply, isMalformed, parseBody, parseEnvelope } from "./wire/messages.ts";
import { MessageSplitter } from "./wire/splitter.ts";

const closeDeadlineMs = 1000;

interface PendingReply {
  /** The request, to repeat it if the disk is full and it frees space. */
  readonly message: Buffer;
  readonly socket: Socket;
  readonly envelope: Envelope;
  readonly reply: Doc;
}

/**
 * Serves connections. All writes in one turn of the event loop share a transaction, and every reply in that
 * turn waits for its commit: no write is acknowledged or shown to a reader before it is on disk.
 */
export class StoreServer {
  readonly #store: Store;
  readonly #log: (line: string) => void;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #pending: PendingReply[] = [];
  #flushPlanned = false;

  constructor(store: Store, log: (line: string) => void) {
    this.#store = store;
    this.#log = log;
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

  /** Commits the open transaction, sends its replies, and closes every connection. */
  async close(): Promise<void> {
    this.flush();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroySoon();
    const deadline = setTimeout(() => this.#destroySockets(), closeDeadlineMs);
    await closed;
    clearTimeout(deadline);
    // The last connection may have closed in the same turn in which another sent a write.
    this.flush();
  }

  // A client that does not read its replies must not keep the server from stopping.
  #destroySockets(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): void {
    const splitter = new MessageSplitter();
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    // The client reset the connection; "close" follows and the driver reconnects.
    socket.on("error", (error) => this.#log(`connection failed: ${error.message}`));
    socket.on("drain", () => socket.resume());
    socket.on("data", (chunk: Buffer) => {
      try {
        for (const message of splitter.push(chunk)) this.#handle(socket, message);
      } catch (error) {
        if (!isMalformed(error)) throw error;
        this.#log(`closing the connection from ${peerOf(socket)}: ${error.message}`);
        socket.destroy();
      }
    });
  }

  #handle(socket: Socket, message: Buffer, isRepeated = false): void {
    const envelope = parseEnvelope(message);
    try {
      const reply = execute(this.#store, () => parseBody(message, envelope));
      this.#store.database.endCommand();
      this.#answer({ message, socket, envelope, reply });
    } catch (error) {
      if (isMalformed(error)) throw error;
      const hasReserve = this.#releaseReserve(error);
      const reply = this.#undo(error, hasReserve);
      if (hasReserve && !isRepeated && freesSpace(parseBody(message, envelope)))
        this.#handle(socket, message, true);
      else this.#send({ message, socket, envelope, reply });
    }
  }

  // Undoes a command that failed inside the store, without touching the writes of others in the transaction.
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
      this.#store.database.freesSpace = true;
      this.#store.database.limitTime(0);
      work();
      this.#store.database.endCommand();
    } catch (error) {
      this.#undo(error, this.#releaseReserve(error));
    }
    if (this.#store.database.inTransaction) this.#planFlush();
  }

  #answer(reply: PendingReply): void {
    if (this.#store.database.inTransaction) {
      this.#pending.push(reply);
      this.#planFlush();
    } else this.#send(reply);
  }

  // Runs at the end of the turn so that all its writes share one commit.
  #planFlush(): void {
    if (this.#flushPlanned) return;
    this.#flushPlanned = true;
    setImmediate(() => this.flush());
  }

  /** Commits now and sends the replies waiting for the commit. */
  flush(): void {
    this.#flushPlanned = false;
    if (!this.#store.database.inTransaction) return;
    try {
      this.#store.database.commit();
    } catch (error) {
      this.#failPending(errorReply(this.#describeFault(error)), this.#releaseReserve(error));
      return;
    }
    const ready = this.#pending;
    this.#pending = [];
    for (const reply of ready) this.#send(reply);
  }

  // The rollback discards every write in the transaction, so each of their clients gets an error.
  #failPending(reply: Doc, hasReserve: boolean): void {
    this.#store.database.rollback();
    this.#store.catalog.reload();
    this.#store.cursors.clear();
    const failed = this.#pending;
    this.#pending = [];
    for (const each of failed) {
      // A delete makes room, so it is repeated with the reserve.
      if (hasReserve && freesSpace(parseBody(each.message, each.envelope))) {
        this.#handle(each.socket, each.message, true);
      } else this.#send({ ...each, reply });
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

  #send({ socket, envelope, reply }: PendingReply): void {
    if (envelope.silent || socket.destroyed) return;
    if (!socket.write(encodeReply(envelope, reply))) socket.pause();
  }
}

// The peer of a Unix socket does not have an address.
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return remoteAddress === undefined ? "a local client" : `${remoteAddress}:${remotePort}`;
}
