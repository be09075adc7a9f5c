import type { Outcome } from "../state/outcome.ts";

export const refused: Outcome = {
  error: "The person at this computer refused the call. Ask what you may do, or do without it.",
};
