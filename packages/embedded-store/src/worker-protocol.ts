/** What the host gives its worker thread. */
export interface WorkerOptions {
  readonly directory: string;
  /** Listen on TCP in any case. */
  readonly tcp: boolean;
  readonly host: string;
  readonly port: number;
  readonly sweepIntervalMs: number;
}

/** What the worker thread tells its host. */
export type WorkerMessage =
  | { readonly kind: "listening"; readonly uri: string }
  | { readonly kind: "log"; readonly line: string }
  | { readonly kind: "stopped" };

export function readWorkerOptions(data: unknown): WorkerOptions {
  const fields = new Map<string, unknown>(Object.entries(data ?? {}));
  const directory = fields.get("directory");
  const tcp = fields.get("tcp");
  const host = fields.get("host");
  const port = fields.get("port");
  const sweepIntervalMs = fields.get("sweepIntervalMs");
  if (typeof directory !== "string" || typeof host !== "string") throw wrongOptions();
  if (typeof tcp !== "boolean" || typeof port !== "number") throw wrongOptions();
  if (typeof sweepIntervalMs !== "number") throw wrongOptions();
  return { directory, tcp, host, port, sweepIntervalMs };
}

function wrongOptions(): TypeError {
  return new TypeError("the worker's options have the wrong types");
}
