import type { ErrorEntry, LogEntry, StepStatsEntry } from "@muster/client";

export type StepKind = "turn" | "model" | "tool" | "approval" | "worker" | "error" | "note";
export type StepState = "running" | "waiting" | "completed" | "failed" | "cancelled";

/** A row of the waterfall: one or several entries of the log that belong together. */
export interface Step {
  /** The id of its first entry. */
  id: string;
  kind: StepKind;
  /** The trigger, model, tool or worker. */
  title: string;
  executionId: string;
  workerId?: string | undefined;
  /** How many workers and turns are around it. */
  depth: number;
  startMs: number;
  /** Absent while it continues. */
  endMs?: number;
  state: StepState;
  /** It waits for a user or a program elsewhere, so its length says nothing about the agent. */
  isWaiting: boolean;
  /** In the order of the log. */
  entries: LogEntry[];
  toolCallId?: string;
  stats?: StepStatsEntry;
  /** Why it failed. */
  error?: Pick<ErrorEntry, "message"> & Partial<ErrorEntry>;
  children: Step[];
}

/** The entry of a type, if the step has it. The latest, if it has several. */
export function entryOf<Type extends LogEntry["type"]>(
  { entries }: Pick<Step, "entries">,
  type: Type,
): Extract<LogEntry, { type: Type }> | undefined {
  return entries.findLast((entry): entry is Extract<LogEntry, { type: Type }> => entry.type === type);
}

/** The words of the user that a turn began with. */
export function wordsOf({ entries }: Pick<Step, "entries">): string | undefined {
  const message = entries.find(
    (entry) => entry.type === "message" && entry.role === "user" && entry.isVisible,
  );
  return message?.type === "message" ? message.text : undefined;
}

/** The tokens and dollars of the model calls in a step. Undefined without any. */
export function usedBy(step: Step): { tokens: number; usd: number } | undefined {
  const stats = flatten([step]).flatMap((each) => each.stats ?? []);
  if (stats.length === 0) return undefined;
  const tokens = stats.reduce((sum, each) => sum + (each.tokens?.totalTokens ?? 0), 0);
  return { tokens, usd: stats.reduce((sum, { cost }) => sum + Number(cost?.totalFee ?? 0), 0) };
}

/** The rows, from the top to the bottom. */
export function flatten(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...flatten(step.children)]);
}

/** The step of a turn whose failure ended it, or else the first that failed. */
export function firstFailure(turn: Step | undefined): Step | undefined {
  if (turn === undefined) return undefined;
  const failed = flatten(turn.children).filter(({ state }) => state === "failed");
  const fatal = failed.find(({ error }) => error?.isHandled === false);
  return fatal ?? failed[0] ?? (turn.state === "failed" ? turn : undefined);
}
