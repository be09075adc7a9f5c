/** The usage of one model call. Never changes, but for `pending` and `pendingSubject`. */
export interface UsageRecord {
  /** See `usageId`: a repeated call inserts nothing. */
  _id: string;
  projectId: string;
  /** The key that the call counts for; that of a token is the key that minted it. Absent: no key. */
  keyId?: string;
  /** The agent of the session or the worker. Absent in records of earlier releases. */
  agentId?: string;
  /** For whom the session or the execution is. Absent: for none. */
  subject?: string;
  /** Absent: of a session or a worker. */
  workforceAgentId?: string;
  /** The execution itself for a worker. */
  sessionId: string;
  executionId: string;
  /** Numbers the model steps of the execution, from 1. */
  step: number;
  /** `2026-11`, in UTC. */
  month: string;
  at: Date;
  /** `provider/model-id`. */
  modelId: string;
  tokens: RecordedTokens;
  /** Names the prices. */
  priceVersion: string;
  /** The model provider's charge, an exact decimal number of US dollars. */
  providerFee: string;
  /** The platform's charge, likewise. */
  bandwidthFee: string;
  /** The call used a key of the project. */
  byok: boolean;
  /** The call ended before the provider reported its usage. */
  isEstimated?: true;
  /** The totals may lack it. Absent: they contain it. */
  pending?: true;
  /** Likewise, the totals of the subject. */
  pendingSubject?: true;
}

/** The tokens as the provider counts them; 0 where it reports none. */
export interface RecordedTokens {
  /** Including those of caches. */
  input: number;
  /** Including reasoning. */
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
}

/** Whose records are added up. */
export interface UsageAccount {
  projectId: string;
  /** Absent: that of sessions and workers. */
  workforceAgentId?: string;
  /** Absent: that of no key. */
  keyId?: string;
  /** Its use with all keys. Absent: the account is of no subject. */
  subject?: string;
  month: string;
}

/** The sum of the records of an account. Follows from them; see `usage-ledger.ts`. */
export interface UsageTotals extends UsageAccount {
  /** See `accountId`. */
  _id: string;
  /** Rises with every write. */
  rev: number;
  /** Ids of records that are in the sum and may still be `pending`. */
  counted: string[];
  /** With the bandwidth fee, an exact decimal number of US dollars. */
  totalFee: string;
  /** Input and output. */
  tokens: number;
}

/**
 * A call of a step besides its first: summaries are written before it, a repair corrects its object, and one that was
 * cut is made again if another process continues the turn.
 */
export type ExtraCall = "summary1" | "summary2" | "repair" | "cut";

/** The fields that distinguish a model call from all others. */
export interface CallId {
  executionId: string;
  /** The epoch of a session or worker: a turn that is begun again from the same pause is paid again. Absent: of a workforce agent. */
  epoch?: number | undefined;
  /** Absent: the turn itself makes it. */
  workerId?: string | undefined;
  step: number;
  isBackup: boolean;
  extra?: ExtraCall | undefined;
}

/** A step is called again on the backup model if the first one fails: both calls are paid, as are extra ones. */
export function usageId({ executionId, epoch, workerId, step, isBackup, extra }: CallId): string {
  const attempt = epoch === undefined ? undefined : `e${epoch}`;
  const names = [executionId, attempt, workerId, step, isBackup ? "backup" : undefined, extra];
  return names.filter((name) => name !== undefined).join(":");
}

export function accountId({ projectId, workforceAgentId, month, keyId, subject }: UsageAccount): string {
  const names = [projectId, workforceAgentId, month, keyId, subject];
  return names.filter((name) => name !== undefined).join(":");
}
