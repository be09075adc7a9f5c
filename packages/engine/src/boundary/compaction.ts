/** `threshold`: the prompt reached its share of the context window. `refusal`: the provider refused its length. */
export type CompactionCause = "threshold" | "refusal";

/** How a prompt was made smaller. Tokens are estimated, and corrected by the provider's earlier counts. */
export interface Compaction {
  cause: CompactionCause;
  /** `summary`: a summary was written now. `trim`: the oldest messages or steps are left out of this call. */
  method: "summary" | "trim";
  tokensBefore: number;
  tokensAfter: number;
  /** How many messages the model reads in the summary, or not at all. */
  messages: number;
  /** Who wrote the summary: the id of a model, or the slug of a worker. Absent: no audience. */
  summarizer?: string;
  summary?: string;
  /** Why no summary could be written. */
  problem?: string;
}
