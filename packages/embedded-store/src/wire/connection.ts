import type { Socket } from "node:net";

/** A client's connection. Its requests run one after another. */
export class Connection {
  readonly socket: Socket;
  /** Requests that arrived while another one is running. */
  readonly #waiting: Buffer[] = [];
  #isBusy = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("drain", () => this.#read());
  }

  /** A request of this connection has started and not ended yet. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  set isBusy(isBusy: boolean) {
    this.#isBusy = isBusy;
    this.#read();
  }

  get isClosed(): boolean {
    return this.socket.destroyed;
  }

  /** Keeps a request for later. Reading pauses only now: a paused socket would not notice that the client is gone. */
  wait(message: Buffer): void {
    this.#waiting.push(message);
    this.socket.pause();
  }

  /** The requests that wait, as long as they can run. If none is left, reading continues. */
  *waiting(): Generator<Buffer> {
    while (!this.#isBusy && !this.isClosed) {
      const next = this.#waiting.shift();
      if (!next) break;
      yield next;
    }
    this.#read();
  }

  /** A client that does not read its replies cannot send more requests. */
  send(reply: Buffer): void {
    if (!this.isClosed && !this.socket.write(reply)) this.socket.pause();
  }

  #read(): void {
    if (!this.#isBusy && this.#waiting.length === 0 && !this.socket.writableNeedDrain) this.socket.resume();
  }

  // The peer of a Unix socket does not have an address.
  get peer(): string {
    const { remoteAddress, remotePort } = this.socket;
    return remoteAddress === undefined ? "a local client" : `${remoteAddress}:${remotePort}`;
  }
}
