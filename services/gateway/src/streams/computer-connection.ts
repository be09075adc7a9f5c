import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type GoodbyeSchema, PlatformFrameSchema } from "@muster/proto/computer-frames";
import type { ConnectRequestSchema } from "@muster/proto/computers";
import type { RawData, WebSocket } from "ws";
import type { OpenStream } from "./open-streams.ts";

/** The largest frame, in both directions. */
export const maxFrameBytes = 1024 * 1024;
/** That wait for the platform before nothing more is read from the computer, or for the computer before the platform waits. */
const maxWaitingBytes = 256 * 1024;
/** How long a computer may take to close its side. */
const closeWithinMs = 2_000;
/** A computer that takes nothing for so long does not run any longer, although its system still answers. */
const stalledMs = 60_000;
/** Small frames use more memory than their bytes. */
const frameOverhead = 100;

const closeCodes = { normal: 1000, text: 1003, tryLater: 1013 } as const;

/** The WebSocket of a computer, whose frames pass unread. */
export class ComputerConnection implements OpenStream {
  readonly #socket: WebSocket;
  readonly #now: () => number;
  readonly #ended = new AbortController();
  readonly #received: Uint8Array<ArrayBuffer>[] = [];
  #receivedBytes = 0;
  #wake: (() => void) | undefined;
  #lastTakenMs: number;

  constructor(socket: WebSocket, now: () => number, onClosed: () => void) {
    this.#socket = socket;
    this.#now = now;
    this.#lastTakenMs = now();
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    // A frame that is too large, for example. The connection closes then.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      this.#ended.abort();
      this.#wake?.();
      onClosed();
    });
  }

  /** Aborted when the connection has closed. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get waitingBytes(): number {
    return this.#socket.bufferedAmount;
  }

  get lastTakenMs(): number {
    return this.#lastTakenMs;
  }

  /** The frames of the computer, until the connection closes. */
  async *frames(): AsyncGenerator<MessageInitShape<typeof ConnectRequestSchema>> {
    for (;;) {
      const frame = this.#received.shift();
      if (frame !== undefined) {
        this.#receivedBytes -= frame.byteLength + frameOverhead;
        if (this.#socket.isPaused && this.#receivedBytes < maxWaitingBytes) this.#socket.resume();
        yield { frame };
      } else if (this.signal.aborted) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  /** Resolves when the platform may send the next frame. */
  async send(frame: Uint8Array): Promise<void> {
    const sent = new Promise<void>((resolve) => {
      this.#socket.send(frame, () => {
        this.#lastTakenMs = this.#now();
        resolve();
      });
    });
    if (this.#socket.bufferedAmount >= maxWaitingBytes) await sent;
  }

  /** The platform has said why, or the computer connects again. */
  close(): void {
    this.#close(closeCodes.normal);
  }

  /** The platform cannot be reached; the computer tries again. */
  fail(): void {
    this.#close(closeCodes.tryLater);
  }

  /** Says why, and closes. */
  sayGoodbye(goodbye: MessageInitShape<typeof GoodbyeSchema>): void {
    const frame = create(PlatformFrameSchema, { frame: { case: "goodbye", value: goodbye } });
    this.#socket.send(toBinary(PlatformFrameSchema, frame), () => undefined);
    this.close();
  }

  /** The computer connects again, and its calls continue. */
  leave(): void {
    this.stop();
  }

  stop(): void {
    this.sayGoodbye({ code: "stopping", message: "The server is restarting." });
  }

  endUnauthenticated(): void {
    this.sayGoodbye({
      code: "revoked",
      message: "The token of this computer was revoked or has expired. Connect with another one.",
    });
  }

  /** The platform notices silent computers, but it cannot end the connection while a frame waits to be taken. */
  tick(): void {
    if (this.waitingBytes >= maxWaitingBytes && this.#now() - this.#lastTakenMs > stalledMs) this.destroy();
  }

  cutStalled(): void {
    this.destroy();
  }

  destroy(): void {
    this.#socket.terminate();
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (!isBinary || !Buffer.isBuffer(data)) {
      this.#close(closeCodes.text);
      return;
    }
    const frame = new Uint8Array(data);
    this.#received.push(frame);
    this.#receivedBytes += frame.byteLength + frameOverhead;
    if (this.#receivedBytes >= maxWaitingBytes) this.#socket.pause();
    this.#wake?.();
  }

  #close(code: number): void {
    // Without reading, the other side's part of the closing handshake would never arrive.
    if (this.#socket.isPaused) this.#socket.resume();
    this.#socket.close(code);
    setTimeout(() => this.#socket.terminate(), closeWithinMs).unref();
  }
}
