/** The job of a sandbox's process. */
export interface Job {
  command: string;
  /** Absolute. */
  cwd: string;
  timeoutMs: number;
  maxOutputBytes: number;
  maxBytes: number;
  maxEntries: number;
  /** The epoch of the files that the command writes or uploads. */
  epoch: number;
  network: boolean;
}

/** How the command ended. */
export interface JobEnd {
  exitCode: number;
}

/** A request of `curl`. The body follows base64-encoded, because most have none. */
export interface FetchRequest {
  url: string;
  method: string;
  headers: [string, string][];
  body?: string;
  followRedirects: boolean;
  timeoutMs?: number;
}

/** The response without its body, which follows in chunks. */
export interface FetchHead {
  status: number;
  statusText: string;
  headers: [string, string][];
  url: string;
}
