import type { EventOf } from "@muster/stream-events";
import type { Frame } from "../../engine/boundary/frame.ts";
import type { Fees } from "../../store/session-document.ts";
import { addDecimals } from "./decimal.ts";

/**
 * The execution's usage so far, earlier requests included. Follows `finish`. Fees are US dollars, as numbers because
 * clients parse numbers here; they are added up as exact decimals before that.
 */
export type UsageEvent = EventOf<"usage">;

export function usageEvent({ usage }: Frame, fees: Fees): UsageEvent {
  const { providerFee, bandwidthFee } = fees;
  const cost = {
    currency: "USD" as const,
    providerFee: Number(providerFee),
    bandwidthFee: Number(bandwidthFee),
    totalFee: Number(addDecimals(providerFee, bandwidthFee)),
    byok: true as const,
  };
  const tokens = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  for (const { inputTokens, outputTokens } of Object.values(usage)) {
    tokens.inputTokens += inputTokens;
    tokens.outputTokens += outputTokens;
    tokens.totalTokens += inputTokens + outputTokens;
  }
  return { type: "usage", cost, tokens };
}
