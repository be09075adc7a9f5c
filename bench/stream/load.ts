import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The load generator's job. Crosses a process boundary: plain data only. */
export interface LoadJob {
  port: number;
  /** Raw HTTP requests, used in turn for `count` streams. */
  requests: string[];
  count: number;
  concurrency: number;
  /** Spreads the first stream of every client evenly over this time. 0: all at once. */
  spreadMs: number;
  /** Occurs once in every delta. */
  deltaMarker: string;
  /** Occurs at the end of every complete response, and nowhere else. */
  endMarker: string;
  /** Counts the deltas of every stream. Costs CPU: not for throughput. */
  countDeltas: boolean;
  /** The provider's interval between two deltas; records how late each one arrives. */
  deltaIntervalMs?: number;
}

export interface LoadResult {
  durationMs: number;
  /** For each stream, measured from writing the request. */
  firstDeltaMs: number[];
  totalMs: number[];
  deltas: number;
  /** For each delta, compared with the most punctual one of its stream. */
  lateMs: number[];
  /** When that delta arrived, counted from the start of the job. */
  arrivedMs: number[];
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
