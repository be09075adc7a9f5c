/** Settings of a run. Absent settings are inherited: a request's from its agent, an agent's from its definition. */
export interface StoredRunConfig {
  /** `provider/model-id` */
  model?: string;
  backupModel?: string;
  thinking?: Thinking;
  capabilities?: Record<string, boolean>;
  record?: boolean;
  recordVisibility?: RecordVisibility;
}

export const thinkingLevels = ["off", "low", "medium", "high", "xhigh", "max", "auto"] as const;
export type Thinking = (typeof thinkingLevels)[number];

export const recordVisibilities = ["private", "public"] as const;
export type RecordVisibility = (typeof recordVisibilities)[number];
