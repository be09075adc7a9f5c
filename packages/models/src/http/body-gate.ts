import { setTimeout as sleep } from "node:timers/promises";

/** Bounds on what a provider may send in one response. */
export type ResponseBounds = typeof defaultResponseBounds;

// The largest honest events repeat a whole reply and the request's tools.
export const defaultResponseBounds = {
  /** One event of a stream, and so each of its lines. */
  maxEventBytes: 4 * 1024 * 1024,
  /** A whole response. */
  maxResponseBytes: 256 * 1024 * 1024,
  /** A provider that sends faster is read more slowly. */
  maxBytesPerSecond: 8 * 1024 * 1024,
};

/** The rest of a longer error body is not read: the status is enough to classify the failure. */
export const maxErrorBodyBytes = 64 * 1024;

/** A response exceeds a bound. */
export class ResponseTooLarge extends Error {
  readonly code = "ERR_RESPONSE_TOO_LARGE";
}

/** Counts the bytes of one body against its bounds. Errors are truncated, anything else that is too large fails. */
export class BodyGate {
  readonly #bounds: ResponseBounds;
  readonly #isError: boolean;
  #totalBytes = 0;
  #eventBytes = 0;
  /** The end of the previous chunk, in which the end of an event may begin. */
  #tail = "";

  constructor(status: number, bounds: ResponseBounds) {
    this.#bounds = bounds;
    this.#isError = status >= 400;
  }

  /** An error body has reached its bound: nothing more should be read. */
  get isFull(): boolean {
    return this.#isError && this.#totalBytes >= maxErrorBodyBytes;
  }

  /**
   * Returns the chunk, or the part of it that still fits into an error body.
   *
   * @throws ResponseTooLarge
   */
  admit(chunk: Buffer): Buffer {
    const leftBytes = Math.max(0, maxErrorBodyBytes - this.#totalBytes);
    this.#totalBytes += chunk.length;
    if (this.#isError) return chunk.length > leftBytes ? chunk.subarray(0, leftBytes) : chunk;
    const { maxEventBytes, maxResponseBytes } = this.#bounds;
    if (this.#totalBytes > maxResponseBytes)
      throw new ResponseTooLarge(`More than ${maxResponseBytes} bytes`);
    this.#countEvent(chunk);
    if (this.#eventBytes > maxEventBytes)
      throw new ResponseTooLarge(`An event of more than ${maxEventBytes} bytes`);
    return chunk;
  }

  #countEvent(chunk: Buffer): void {
    if (endsEvent(chunk)) {
      this.#eventBytes = 0;
      this.#tail = "\n\n";
      return;
    }
    const end = endOfLastEvent(chunk);
    const endsAtStart = end === 0 && blankLine.test(this.#tail + chunk.toString("latin1", 0, 2));
    this.#eventBytes = end > 0 || endsAtStart ? chunk.length - end : this.#eventBytes + chunk.length;
    this.#tail = (this.#tail + chunk.toString("latin1", Math.max(0, chunk.length - 2))).slice(-2);
  }
}

const blankLine = /\n\r?\n|\r\r/;
const newline = 0x0a;
const blankLines = ["\n\n", "\n\r\n", "\r\r"];

// Most chunks end with an event, which two bytes show; a search would cost fifty times as much.
function endsEvent(chunk: Buffer): boolean {
  return chunk[chunk.length - 1] === newline && chunk[chunk.length - 2] === newline;
}

/** The index after the last blank line; 0 without one. */
function endOfLastEvent(chunk: Buffer): number {
  let end = 0;
  for (const line of blankLines) {
    const at = chunk.lastIndexOf(line, undefined, "latin1");
    if (at >= 0) end = Math.max(end, at + line.length);
  }
  return end;
}

const windowMs = 1000;

/** Limits how many bytes of a body are read in a second. */
export class Pace {
  readonly #maxBytesPerSecond: number;
  #windowStartMs = Number.NEGATIVE_INFINITY;
  #windowBytes = 0;

  constructor(maxBytesPerSecond: number) {
    this.#maxBytesPerSecond = maxBytesPerSecond;
  }

  /** Counts bytes that were read. Returns how long to wait before the next ones, usually 0. */
  count(bytes: number): number {
    const nowMs = performance.now();
    if (nowMs - this.#windowStartMs >= windowMs) {
      this.#windowStartMs = nowMs;
      this.#windowBytes = 0;
    }
    this.#windowBytes += bytes;
    return this.#windowBytes < this.#maxBytesPerSecond ? 0 : this.#windowStartMs + windowMs - nowMs;
  }

  /** Counts bytes that were read, and waits until the next ones may be. */
  async wait(bytes: number): Promise<void> {
    const delayMs = this.count(bytes);
    if (delayMs > 0) await sleep(delayMs);
  }
}

type Fetch = typeof globalThis.fetch;
type Bytes = Uint8Array<ArrayBuffer>;

/** A `fetch` whose response bodies are bounded. */
export function boundFetch(fetch: Fetch, bounds: ResponseBounds): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    return new Response(boundBody(body, status, bounds), { status, statusText, headers });
  };
}

/** Applies the bounds to a body that no `BodyStream` has seen, or not yet in its decoded form. */
export function boundBody(
  body: ReadableStream<Bytes>,
  status: number,
  bounds: ResponseBounds,
): ReadableStream<Bytes> {
  const gate = new BodyGate(status, bounds);
  const pace = new Pace(bounds.maxBytesPerSecond);
  return body.pipeThrough(
    new TransformStream<Bytes, Bytes>({
      async transform(chunk, controller) {
        const { buffer, byteOffset, byteLength } = chunk;
        const admitted = gate.admit(Buffer.from(buffer, byteOffset, byteLength));
        controller.enqueue(new Uint8Array(admitted));
        if (gate.isFull) controller.terminate();
        await pace.wait(byteLength);
      },
    }),
  );
}
