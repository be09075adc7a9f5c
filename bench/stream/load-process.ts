import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { LoadJob, LoadResult } from "./load.ts";

// Clients on bare sockets. They search for a few bytes and parse nothing, to use as little CPU as possible.

const endOfBody = Buffer.from("0\r\n\r\n");
const timeoutMs = 60_000;

process.once("message", async (job: LoadJob) => {
  const result = await run(job);
  process.send?.(result, () => process.exit(0));
});

async function run(job: LoadJob): Promise<LoadResult> {
  const result: LoadResult = { durationMs: 0, firstDeltaMs: [], totalMs: [], deltas: [], failed: 0 };
  let next = 0;
  const startMs = performance.now();
  const client = async (index: number): Promise<void> => {
    await sleep((job.spreadMs * index) / job.concurrency);
    const connection = new Client(job, result, startMs);
    for (let request = job.requests[next++]; request !== undefined; request = job.requests[next++])
      await connection.stream(request);
    connection.close();
  };
  await Promise.all(Array.from({ length: job.concurrency }, (_, index) => client(index)));
  result.durationMs = performance.now() - startMs;
  return result;
}

/** One keep-alive connection with one stream at a time. */
class Client {
  readonly #job: LoadJob;
  readonly #result: LoadResult;
  /** When the job began. */
  readonly #jobStartMs: number;
  readonly #deltaMarker: Buffer;
  #socket: Socket | undefined;
  #startMs = 0;
  #firstDeltaMs: number | undefined;
  #arrivedMs: number[] = [];
  #isError: boolean | undefined;
  #last: Buffer = Buffer.alloc(0);
  #settle: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(job: LoadJob, result: LoadResult, jobStartMs: number) {
    this.#job = job;
    this.#result = result;
    this.#jobStartMs = jobStartMs;
    this.#deltaMarker = Buffer.from(job.deltaMarker);
  }

  stream(request: string): Promise<void> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#firstDeltaMs = undefined;
      this.#arrivedMs = [];
      this.#isError = undefined;
      this.#last = Buffer.alloc(0);
      this.#socket ??= this.#connect();
      this.#timer = setTimeout(() => this.#end("no end within a minute"), timeoutMs);
      this.#startMs = performance.now();
      this.#socket.write(request, "latin1");
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connect(): Socket {
    const socket = connect({ host: "127.0.0.1", port: this.#job.port, noDelay: true });
    socket.on("data", (data) => this.#receive(data));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#end("the connection was closed"));
    return socket;
  }

  #receive(data: Buffer): void {
    // Only a 200 is chunked; other responses have a length, so their last chunk would never come.
    this.#isError ??= data.toString("latin1", 0, 12) !== "HTTP/1.1 200";
    if (this.#firstDeltaMs === undefined && data.includes(this.#deltaMarker))
      this.#firstDeltaMs = performance.now() - this.#startMs;
    if (this.#job.deltaIntervalMs !== undefined) {
      const arrivedMs = performance.now();
      let at = data.indexOf(this.#deltaMarker);
      for (; at >= 0; at = data.indexOf(this.#deltaMarker, at + 1)) this.#arrivedMs.push(arrivedMs);
    }
    // The end may span two reads; a short last read is joined with the data before it.
    this.#last = data.length > 1024 ? data : Buffer.concat([this.#last.subarray(-1024), data]);
    if (this.#last.subarray(-endOfBody.length).equals(endOfBody) || this.#isError) this.#end();
  }

  #end(problem?: string): void {
    const settle = this.#settle;
    if (settle === undefined) return;
    this.#settle = undefined;
    clearTimeout(this.#timer);
    const isComplete = this.#firstDeltaMs !== undefined && this.#last.includes(this.#job.endMarker);
    if (problem === undefined && isComplete) this.#record(this.#firstDeltaMs ?? 0);
    else {
      this.#result.failed++;
      this.#result.example ??= `${problem ?? "unexpected answer"}: ${this.#last.toString("latin1", 0, 600)}`;
      this.#socket?.destroy();
      this.#socket = undefined;
    }
    settle();
  }

  #record(firstDeltaMs: number): void {
    this.#result.firstDeltaMs.push(firstDeltaMs);
    this.#result.totalMs.push(performance.now() - this.#startMs);
    const afterDueMs = this.#arrivedMs.map((ms, index) => ms - index * (this.#job.deltaIntervalMs ?? 0));
    const mostPunctualMs = Math.min(...afterDueMs);
    for (const [index, ms] of this.#arrivedMs.entries()) {
      const lateMs = (afterDueMs[index] ?? 0) - mostPunctualMs;
      this.#result.deltas.push({ lateMs, atMs: ms - this.#jobStartMs });
    }
  }
}
