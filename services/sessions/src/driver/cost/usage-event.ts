import type { Frame } from "../../engine/boundary/frame.ts";
import type { Fees } from "../../store/session-document.ts";
import { addDecimals } from "./decimal.ts";

/**
 * The execution's usage so far, earlier requests included. Follows `finish`. Fees are US dollars, as numbers because
 * clients parse numbers here; they are added up as exact decimals before that.
 */
export interface UsageEvent {
  type: "usage";
  cost: {
    currency: "USD";
    providerFee: number;
    bandwidthFee: number;
    totalFee: number;
    /** The platform calls the providers with its operator's keys, so they bill the operator. */
    byok: true;
  };
  tokens: { inputTokens: number; outputTokens: number; totalTokens: number };
}

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
