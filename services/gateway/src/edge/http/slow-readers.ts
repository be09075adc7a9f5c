import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Within the time that a reader may stop for. */
const checks = 12;

const cut = new WeakSet<Socket>();

/** Whether the connection was closed because its reader had stopped. */
export function wasCut(socket: Socket): boolean {
  return cut.has(socket);
}

/**
 * Cuts the connections whose readers have taken nothing for `timeoutMs` while data was waiting for them. Otherwise the
 * requests of such a reader would be in progress for as long as it likes, and its responses in memory.
 */
export function cutStoppedReaders(server: Server, timeoutMs: number): void {
  const readers = new Map<Socket, ReaderProgress>();
  const everyMs = timeoutMs / checks;
  // Counted in checks and not by the clock: after a pause of the process, readers have had no chance to take anything.
  let nowMs = 0;
  const check = () => {
    nowMs += everyMs;
    for (const [socket, progress] of readers) {
      if (progress.observe(socket, nowMs) < timeoutMs) continue;
      cut.add(socket);
      socket.destroy();
    }
  };
  const timer = setInterval(check, everyMs).unref();
  server.on("connection", (socket: Socket) => {
    readers.set(socket, new ReaderProgress(nowMs));
    socket.once("close", () => {
      readers.delete(socket);
      endWithLast();
    });
  });
  // A server that refuses new connections may still have some that others accepted for it.
  const endWithLast = () => {
    if (readers.size === 0 && !server.listening) clearInterval(timer);
  };
  server.on("close", endWithLast);
}

/** Whether the reader of a connection takes what is written. Data that only waits to be sent does not count. */
export class ReaderProgress {
  #takenBytes = 0;
  #unsentBytes = 0;
  #lastTakenMs: number;

  constructor(nowMs: number) {
    this.#lastTakenMs = nowMs;
  }

  /** The last observation at which the reader had taken data, or no data waited for it. */
  get lastTakenMs(): number {
    return this.#lastTakenMs;
  }

  /** Returns for how long the reader has taken nothing. */
  observe(socket: Socket, nowMs: number): number {
    const takenBytes = socket.bytesWritten - socket.writableLength;
    const unsentBytes = unsentOf(socket);
    const hasTaken = takenBytes !== this.#takenBytes || unsentBytes !== this.#unsentBytes;
    if (hasTaken || socket.writableLength === 0) this.#lastTakenMs = nowMs;
    this.#takenBytes = takenBytes;
    this.#unsentBytes = unsentBytes;
    return nowMs - this.#lastTakenMs;
  }
}

/**
 * The rest of the write in progress, which counts as one to the socket. Node's own timeout of a socket reads the same
 * field.
 */
function unsentOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, "_handle");
  if (handle === null || typeof handle !== "object") return 0;
  return Number(Reflect.get(handle, "writeQueueSize") ?? 0);
}

/** Long enough for the refusal of a client that has left to arrive from afar, and for most responses to be sent. */
export const probeEveryMs = 200;

/**
 * Allows a client that has sent its request to close its sending side and still receive the response; Node's default is
 * to close the connection. Only writing shows that a client has closed both sides: its system refuses the first write,
 * and the next one fails. So an interim response is sent twice to a client that still waits for its response.
 */
export function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
  // Each request of a connection adds listeners. Above ten, Node would suspect a leak and write so to the error output.
  server.on("connection", (socket: Socket) => socket.setMaxListeners(0));
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const halfClosed = () => {
      setTimeout(probe, probeEveryMs, response).unref();
      setTimeout(probe, 2 * probeEveryMs, response).unref();
    };
    if (socket.readableEnded) halfClosed();
    else socket.once("end", halfClosed);
    response.once("close", () => socket.off("end", halfClosed));
  });
}

/** Clients of HTTP/1.0 know no interim responses. */
export function probe(response: ServerResponse): void {
  const isWaiting = !response.headersSent && !response.destroyed && response.req.httpVersion === "1.1";
  if (isWaiting) response.writeProcessing();
}
