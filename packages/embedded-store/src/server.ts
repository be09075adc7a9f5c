import { chmodSync } from "node:fs";
import { createServer, type ListenOptions, type Server, type Socket } from "node:net";
import { Executor, type ExecutorOptions } from "./jobs/executor.ts";
import type { Store } from "./open-store.ts";
import type { Steps } from "./steps.ts";
import { Connection } from "./wire/connection.ts";
import { MessageSplitter } from "./wire/message-splitter.ts";
import { PartialMessages } from "./wire/partial-messages.ts";

const closeDeadlineMs = 1000;

export interface ServerOptions extends ExecutorOptions {
  /** The bytes of incomplete messages on all connections together. Default 192,000,000. */
  readonly maxPartialBytes?: number;
}

/** Accepts connections and serves the requests that arrive on them. */
export class StoreServer {
  readonly #store: Store;
  readonly #log: (line: string) => void;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #executor: Executor;
  readonly #partial: PartialMessages;

  constructor(store: Store, log: (line: string) => void, options: ServerOptions = {}) {
    this.#store = store;
    this.#log = log;
    this.#executor = new Executor(store, log, options);
    this.#partial = new PartialMessages(options.maxPartialBytes);
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
    await this.#executor.close();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroySoon();
    const deadline = setTimeout(() => this.#destroySockets(), closeDeadlineMs);
    await closed;
    clearTimeout(deadline);
    this.#executor.flush();
  }

  // A client that does not read its replies must not keep the server from stopping.
  #destroySockets(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): void {
    const splitter = new MessageSplitter();
    const connection = new Connection(socket);
    const partial = this.#partial.open(() => this.#drop(connection));
    this.#sockets.add(socket);
    socket.on("close", () => {
      this.#sockets.delete(socket);
      partial.set(0);
      this.#store.cursors.removeOfClient(connection);
    });
    // "close" follows, and the driver reconnects. A client may leave with unread data, or before its replies.
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "ECONNRESET" && error.code !== "EPIPE")
        this.#log(`connection failed: ${error.message}`);
    });
    socket.on("data", (chunk: Buffer) => {
      this.#executor.receive(connection, splitter.push(chunk));
      partial.set(socket.destroyed ? 0 : splitter.bytes);
    });
  }

  #drop(connection: Connection): void {
    this.#log(
      `closing the connection from ${connection.peer}: incomplete messages occupy too much memory, and it has been silent for the longest time`,
    );
    connection.socket.destroy();
  }

  /** Runs maintenance in slices. */
  runInBackground(steps: Steps<undefined>): void {
    this.#executor.runInBackground(steps);
  }

  /** Runs maintenance now, committed at the end of the turn. */
  maintain(work: () => void): void {
    this.#executor.maintain(work);
  }

  /** Commits now and sends the replies waiting for the commit. */
  flush(): void {
    this.#executor.flush();
  }
}
