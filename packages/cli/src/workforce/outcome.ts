import type { Thread } from "../api/threads.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import type { Output } from "../output.ts";

/** The exit code for a thread with this status. */
export function exitCodeOf(status: string): ExitCode {
  if (status === "blocked") return exitCodes.blocked;
  return status === "failed" || status === "cancelled" ? exitCodes.failure : exitCodes.fine;
}

/** Shows how a thread has ended, and its cost. */
export function showOutcome(out: Output, { threadId, status, usage, ...thread }: Thread): void {
  const { failureReason, failureType } = thread;
  if (failureReason !== undefined) out.note(out.noteStyle("red", `${failureReason} (${failureType})`));
  out.note(out.noteStyle("dim", `[${[`${threadId} ${status}`, ...costOf(usage)].join(", ")}]`));
}

/** `$0.0123` and `1,234 tokens`; nothing if nothing was used. */
export function costOf(usage: Thread["usage"]): string[] {
  if (usage === undefined) return [];
  const { totalFeeUsd, totalTokens } = usage;
  const fee = typeof totalFeeUsd === "number" ? totalFeeUsd : 0;
  const tokens = typeof totalTokens === "number" ? totalTokens : 0;
  return [usdOf(fee), `${tokens.toLocaleString("en")} tokens`];
}

/** At least two digits after the point, and two that are not 0. */
export function usdOf(amount: number): string {
  const digits = amount === 0 ? 2 : Math.max(2, 1 - Math.floor(Math.log10(amount)));
  return `$${amount.toFixed(Math.min(digits, 12))}`;
}
