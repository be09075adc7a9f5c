import type { Frame } from "@muster/engine";
import type { EventOf } from "@muster/wire/events";
import type { Fees } from "../store/session-document.ts";
import { shownCost } from "./shown-cost.ts";

/** The execution's usage so far, earlier requests included. Follows `finish`. */
export type UsageEvent = EventOf<"usage">;

export function usageEvent({ usage }: Frame, fees: Fees): UsageEvent {
  const tokens = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  for (const { inputTokens, outputTokens } of Object.values(usage)) {
    tokens.inputTokens += inputTokens;
    tokens.outputTokens += outputTokens;
    tokens.totalTokens += inputTokens + outputTokens;
  }
  return { type: "usage", cost: shownCost(fees), tokens };
}
