import type { StoredMessage } from "../conversation/conversation.ts";
import type { Sized } from "./view.ts";

/** In estimated tokens. */
export interface FoldBudget {
  /** For the messages that stay, if turns that are whole fit into it. */
  recent: number;
  /** For the messages that stay in any case. */
  limit: number;
  /** A fold that removes less is not worth its call. */
  leastFold: number;
  /** Positions from here on may still change. */
  finalEnd: number;
}

/**
 * How many of the messages become part of the summary, so that the others stay whole; undefined if none should. The border is
 * between two turns wherever possible, and always between two messages, so that a call stays with its result. Only a turn that is
 * too large by itself is divided.
 */
export function planFold(sized: readonly Sized[], budget: FoldBudget): number | undefined {
  const rests = restsOf(sized);
  const borders = sized.flatMap((_, count) => (isBorder(sized, count, budget) ? count : []));
  const betweenTurns = borders.filter((count) => startsTurn(sized[count - 1], sized[count]));
  const fits = (room: number) => (count: number) => (rests[count] ?? 0) <= room;
  const whole = betweenTurns.find(fits(budget.recent)) ?? betweenTurns.findLast(fits(budget.limit));
  const count = whole ?? borders.find(fits(budget.recent)) ?? borders.at(-1);
  if (count === undefined) return undefined;
  const removed = (rests[0] ?? 0) - (rests[count] ?? 0);
  return removed >= budget.leastFold ? count : undefined;
}

/** True if the message begins another turn than the one before it. Restored messages do not know their turns. */
export function startsTurn(before: Sized | undefined, next: Sized | undefined): boolean {
  if (before === undefined || next === undefined) return true;
  const [earlier, later] = [before.message, next.message];
  if (earlier.executionId !== later.executionId) return true;
  return later.executionId === undefined && isUser(later) && !isUser(earlier);
}

function isUser({ role }: StoredMessage): boolean {
  return role === "user";
}

/** At least the last message stays, and the request of a turn as long as nothing of its answer is part of the summary. */
function isBorder(sized: readonly Sized[], count: number, { finalEnd }: FoldBudget): boolean {
  const last = sized[count - 1];
  if (last === undefined || last.at >= finalEnd) return false;
  return last.message.role === "assistant" || startsTurn(last, sized[count]);
}

/** The tokens of each message and all later ones. */
function restsOf(sized: readonly Sized[]): number[] {
  const rests = new Array<number>(sized.length);
  let rest = 0;
  for (let index = sized.length - 1; index >= 0; index--) {
    rest += sized[index]?.tokens ?? 0;
    rests[index] = rest;
  }
  return rests;
}
