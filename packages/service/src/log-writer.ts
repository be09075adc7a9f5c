/** A full disk, or a reader that has stopped, must not fill the memory: beyond this, lines are dropped. */
export const maxWaitingLogBytes = 16 * 1024 * 1024;

/** An exit waits this long for a reader that accepts nothing, then drops the rest. */
export const exitPatienceMs = 1_000;
/** An exit ends after this even if the reader accepts a little from time to time. */
export const exitLimitMs = 5_000;
/** After a failed write, such as to a full pipe or disk. */
const retryMs = 100;

/** The file that the lines go to. The methods work as those of `node:fs`: counts are bytes, errors the system's. */
export interface LogSink {
  write(bytes: Uint8Array, done: (error: Error | null, count: number) => void): void;
  writeSync(bytes: Uint8Array): number;
  /** Blocks the thread. */
  sleepSync(ms: number): void;
  nowMs(): number;
}

/**
 * Writes lines in the background and in order. A file that accepts nothing never prevents the process from working or
 * ending: lines wait while they fit, further ones are dropped, and a line with the number of dropped ones marks the gap.
 */
export class LogWriter {
  readonly #sink: LogSink;
  readonly #gapLine: (dropped: number) => string;
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  #dropped = 0;
  #isWriting = false;
  #retry: NodeJS.Timeout | undefined;

  /** `gapLine`: the line that reports a number of dropped lines. */
  constructor(sink: LogSink, gapLine: (dropped: number) => string) {
    this.#sink = sink;
    this.#gapLine = gapLine;
  }

  /** Accepts whole lines, at least one. */
  write(lines: string): void {
    const bytes = Buffer.from(lines);
    if (this.#queuedBytes + bytes.length > maxWaitingLogBytes) {
      this.#dropped += lineCount(lines);
      return;
    }
    if (this.#dropped > 0) this.#push(Buffer.from(this.#gapLine(this.#dropped)));
    this.#dropped = 0;
    this.#push(bytes);
    this.#next();
  }

  /** For the exit of the process. Drops the rest if the file refuses it, or accepts nothing for a while. */
  flushAtExit(): void {
    clearTimeout(this.#retry);
    // A thread of Node's completes it.
    if (this.#isWriting) this.#written(this.#queue[0]?.length ?? 0);
    const startedMs = this.#sink.nowMs();
    let progressMs = startedMs;
    for (let bytes = this.#queue[0]; bytes; bytes = this.#queue[0]) {
      try {
        this.#written(this.#sink.writeSync(bytes));
        progressMs = this.#sink.nowMs();
      } catch (error) {
        if (!isFullPipe(error) || this.#sink.nowMs() - progressMs >= exitPatienceMs) return;
        this.#sink.sleepSync(retryMs);
      }
      if (this.#sink.nowMs() - startedMs >= exitLimitMs) return;
    }
  }

  #push(bytes: Buffer): void {
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
  }

  #next(): void {
    const [bytes] = this.#queue;
    if (this.#isWriting || this.#retry || bytes === undefined) return;
    this.#isWriting = true;
    this.#sink.write(bytes, (error, count) => {
      this.#isWriting = false;
      if (error === null) this.#written(count);
      else this.#retryLater();
      this.#next();
    });
  }

  #retryLater(): void {
    const again = () => {
      this.#retry = undefined;
      this.#next();
    };
    // Only the process's own work may keep it alive.
    this.#retry = setTimeout(again, retryMs).unref();
  }

  /** The first `count` bytes of the first batch have been written. */
  #written(count: number): void {
    const [bytes] = this.#queue;
    if (bytes === undefined) return;
    this.#queuedBytes -= count;
    if (count < bytes.length) this.#queue[0] = bytes.subarray(count);
    else this.#queue.shift();
  }
}

function isFullPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}

function lineCount(lines: string): number {
  return lines.split("\n").length - 1;
}
