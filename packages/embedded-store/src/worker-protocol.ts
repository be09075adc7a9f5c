/** What the host gives its worker thread. */
export interface WorkerOptions {
  readonly directory: string;
  readonly host: string;
  readonly port: number;
  readonly sweepIntervalMs: number;
}

/** What the worker thread tells its host. */
export type WorkerMessage =
  | { readonly kind: "listening"; readonly address: string }
  | { readonly kind: "log"; readonly line: string }
  | { readonly kind: "stopped" };

export function readWorkerOptions(data: unknown): WorkerOptions {
  if (typeof data !== "object" || data === null) throw new TypeError("the worker got no options");
  const { directory, host, port, sweepIntervalMs } = data as Record<string, unknown>;
  if (
    typeof directory !== "string" ||
    typeof host !== "string" ||
    typeof port !== "number" ||
    typeof sweepIntervalMs !== "number"
  ) {
    throw new TypeError("the worker's options have the wrong types");
  }
  return { directory, host, port, sweepIntervalMs };
}
