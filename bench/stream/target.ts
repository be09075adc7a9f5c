/**
 * In the order of the table. `bare` is what many would build instead (`bare-server.ts`); `unlogged` is Muster with
 * `EXECUTION_LOG=off`; `triggered` is Muster with sessions that were created before.
 */
export const targetNames = ["direct", "proxy", "bare", "unlogged", "triggered", "muster"] as const;
export type TargetName = (typeof targetNames)[number];

/** Variants of Muster for one figure: only the throughput of 32 clients is measured. */
export const onlyThroughput: ReadonlySet<TargetName> = new Set(["unlogged", "triggered"]);

/** The scripted provider's pace: as fast as it can, a chunk every 20 ms, or a chunk every 100 ms. */
export type Pace = "bench" | "bench-paced" | "bench-held";

/** A server under load in front of the scripted provider. */
export interface Target {
  name: TargetName;
  port: number;
  /** The process that is measured. */
  pid: number;
  /** The time from starting the process to its first response. */
  coldStartMs: number;
  deltaMarker: string;
  endMarker: string;
  /** Raw requests that each start one stream. Preparing them is not measured. */
  prepare(pace: Pace, count: number): Promise<string[]>;
  stop(): Promise<void>;
}

export function rawPost(path: string, headers: Record<string, string>, body: string): string {
  const lines = Object.entries({
    Host: "127.0.0.1",
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}
