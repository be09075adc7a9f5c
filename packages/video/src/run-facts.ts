/** The known facts about a run when its video is made. */
export interface RunFacts {
  agentName: string;
  /** The first words of the message that began the run. */
  task: string;
  startedAtMs: number;
  endedAtMs: number;
  status: "completed" | "failed" | "cancelled" | "blocked";
  failureReason?: string;
  /** `provider/model-id`. */
  model?: string;
  /** `costUsd` is a decimal string. */
  usage?: { costUsd: string; inputTokens: number; outputTokens: number };
}
