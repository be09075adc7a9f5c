import type { Socket } from "node:net";

/** Whether the reader of a connection takes what is written. Writes that wait for it are no progress. */
export class ReaderProgress {
  #takenBytes = 0;
  #unsentBytes = 0;
  #lastTakenMs: number;

  constructor(nowMs: number) {
    this.#lastTakenMs = nowMs;
  }

  /** When the reader last took something, or nothing was waiting for it, as far as it was observed. */
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
