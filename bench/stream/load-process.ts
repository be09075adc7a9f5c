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
    let socket: Socket | undefined;
    for (let request = job.requests[next++]; request !== undefined; request = job.requests[next++]) {
      // One keep-alive connection for each client.
      if (socket === undefined || socket.destroyed)
        socket = connect({ host: "127.0.0.1", port: job.port, noDelay: true }).on("error", () => undefined);
      await stream(socket, request, job, result, startMs);
    }
    socket?.destroy();
  };
  await Promise.all(Array.from({ length: job.concurrency }, (_, index) => client(index)));
  result.durationMs = performance.now() - startMs;
  return result;
}

/** Resolves at the end of the stream, whose times it records. After a failure, the connection is destroyed. */
function stream(
  socket: Socket,
  request: string,
  job: LoadJob,
  result: LoadResult,
  jobStartMs: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const marker = Buffer.from(job.deltaMarker);
  const arrivedMs: number[] = [];
  let firstDeltaMs: number | undefined;
  let isError: boolean | undefined;
  let last: Buffer = Buffer.alloc(0);
  const receive = (data: Buffer): void => {
    // Only a 200 is chunked; other responses have a length, so their last chunk would never arrive.
    isError ??= data.toString("latin1", 0, 12) !== "HTTP/1.1 200";
    if (firstDeltaMs === undefined && data.includes(marker)) firstDeltaMs = performance.now() - startMs;
    if (job.deltaIntervalMs !== undefined) {
      const nowMs = performance.now();
      for (let at = data.indexOf(marker); at >= 0; at = data.indexOf(marker, at + 1)) arrivedMs.push(nowMs);
    }
    // The end may span two reads; a short last read is joined with the data before it.
    last = data.length > 1024 ? data : Buffer.concat([last.subarray(-1024), data]);
    if (last.subarray(-endOfBody.length).equals(endOfBody) || isError) end();
  };
  const end = (problem?: string): void => {
    clearTimeout(timer);
    socket.off("data", receive).off("close", close);
    if (problem === undefined && firstDeltaMs !== undefined && last.includes(job.endMarker)) {
      result.firstDeltaMs.push(firstDeltaMs);
      result.totalMs.push(performance.now() - startMs);
      recordDeltas(arrivedMs, job.deltaIntervalMs ?? 0, result, jobStartMs);
    } else {
      result.failed++;
      result.example ??= `${problem ?? "unexpected answer"}: ${last.toString("latin1", 0, 600)}`;
      socket.destroy();
    }
    resolve();
  };
  const close = () => end("the connection was closed");
  const timer = setTimeout(() => end("no end within a minute"), timeoutMs);
  socket.on("data", receive).on("close", close);
  const startMs = performance.now();
  socket.write(request, "latin1");
  return promise;
}

function recordDeltas(
  arrivedMs: number[],
  intervalMs: number,
  { deltas }: LoadResult,
  jobStartMs: number,
): void {
  const afterDueMs = arrivedMs.map((ms, index) => ms - index * intervalMs);
  const mostPunctualMs = Math.min(...afterDueMs);
  for (const [index, ms] of arrivedMs.entries())
    deltas.push({ lateMs: (afterDueMs[index] ?? 0) - mostPunctualMs, atMs: ms - jobStartMs });
}
