import type { Turn } from "../turn/turn.ts";

/** Why a summary cannot wait for the application: the turn would pause in the middle of a step. */
export const noClientTools =
  "Tools of the application cannot be called while a summary of the conversation is written.";

/** Whether the turn is that of a worker that writes a summary, or of one that it calls. */
export function isSummarizing(turn: Turn): boolean {
  for (let origin = turn.origin; origin !== undefined; origin = origin.parent.origin) {
    if (origin.parent.frame.open?.fold?.call === origin.part) return true;
  }
  return false;
}
