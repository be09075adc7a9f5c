/** One agent's computer. Every write is conditional on `epoch`: the holder's fence. */
export interface ComputerDocument {
  /** The agent's id. */
  _id: string;
  projectId: string;
  /** The epoch of the newest holder. */
  epoch: number;
  /** Name of the blob with the manifest of the files; null for a new computer. */
  manifest: string | null;
  /** The latest calls, in the order in which they ended. */
  outcomes: StoredOutcome[];
  /** Starts and ends of calls, the latest last. */
  log: LogLine[];
  snapshots: Snapshot[];
  createdAt: Date;
}

/** The outcome as JSON, here or, if it is long, in a blob. */
export interface StoredOutcome {
  id: string;
  text?: string;
  blob?: string;
}

export interface LogLine {
  callId: string;
  epoch: number;
  step: "start" | "stop";
  at: Date;
  /** Whether the call could have had an effect outside of the computer; only of a start. */
  network?: boolean;
}

/** Its id is the name of the manifest. */
export interface Snapshot {
  id: string;
  at: Date;
}

export const maxOutcomes = 200;
export const maxLogLines = 2 * maxOutcomes;
export const maxSnapshots = 10;
/** Longer outcomes are kept in blobs, because the document is rewritten by every call. */
export const maxInlineOutcome = 512;
