import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The load generator's job. Crosses a process boundary: plain data only. */
export interface LoadJob {
  port: number;
  deltaMarker: string;
  endMarker: string;
  /** Raw HTTP requests of one stream each. */
  requests: string[];
  concurrency: number;
  /** Spreads the first stream of every client evenly over this time. 0: all at once. */
  spreadMs: number;
  /** The provider's interval between two deltas: records when each one arrives, which costs CPU. */
  deltaIntervalMs?: number;
}

export interface LoadResult {
  durationMs: number;
  /** For each stream, measured from writing the request. */
  firstDeltaMs: number[];
  totalMs: number[];
  /** For each delta: how late it is compared with the most punctual one of its stream, and when in the job it arrived. */
  deltas: Array<{ lateMs: number; atMs: number }>;
  failed: number;
  /** The beginning of one failed response. */
  example?: string;
}

/** Runs a job in a process of its own, so that it has an event loop to itself. */
export function runLoad(job: LoadJob): Promise<LoadResult> {
  const worker = fork(fileURLToPath(new URL("load-process.ts", import.meta.url)), {
    serialization: "advanced",
  });
  return new Promise((resolve, reject) => {
    worker.once("message", (result: LoadResult) => resolve(result));
    worker.once("exit", (code) => reject(new Error(`The load generator ended with ${code}`)));
    worker.send(job);
  });
}
