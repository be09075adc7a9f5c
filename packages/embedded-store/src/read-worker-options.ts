/** Options that the host passes to its worker thread. */
export interface WorkerOptions {
  readonly directory: string;
  readonly directorySetting: string;
  /** Listen on TCP even where a socket would work. */
  readonly tcp: boolean;
  readonly host: string;
  readonly port: number;
  readonly sweepIntervalMs: number;
}

/** Messages from the worker thread to its host. */
export type WorkerMessage =
  | { readonly kind: "listening"; readonly uri: string }
  | { readonly kind: "log"; readonly line: string }
  | { readonly kind: "stopped" };

export function readWorkerOptions(data: unknown): WorkerOptions {
  const fields = new Map<string, unknown>(Object.entries(data ?? {}));
  const directory = fields.get("directory");
  const directorySetting = fields.get("directorySetting");
  const tcp = fields.get("tcp");
  const host = fields.get("host");
  const port = fields.get("port");
  const sweepIntervalMs = fields.get("sweepIntervalMs");
  if (typeof directory !== "string" || typeof host !== "string") throw wrongOptions();
  if (typeof directorySetting !== "string") throw wrongOptions();
  if (typeof tcp !== "boolean" || typeof port !== "number") throw wrongOptions();
  if (typeof sweepIntervalMs !== "number") throw wrongOptions();
  return { directory, directorySetting, tcp, host, port, sweepIntervalMs };
}

function wrongOptions(): TypeError {
  return new TypeError("the worker's options have the wrong types");
}
