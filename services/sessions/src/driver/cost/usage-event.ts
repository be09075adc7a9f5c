import type { Frame } from "../../engine/boundary/frame.ts";
import type { Fees } from "../../store/session-document.ts";
import { addDecimals } from "./decimal.ts";

/** The execution's usage so far, earlier requests included. Follows `finish`. */
export interface UsageEvent {
  type: "usage";
  cost: Fees & {
    currency: "USD";
    totalFee: string;
    /** The platform calls the providers with its operator's keys, so they bill the operator. */
    byok: true;
  };
  tokens: { inputTokens: number; outputTokens: number; totalTokens: number };
}

export function usageEvent({ usage }: Frame, fees: Fees): UsageEvent {
  const totalFee = addDecimals(fees.providerFee, fees.bandwidthFee);
  const tokens = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  for (const { inputTokens, outputTokens } of Object.values(usage)) {
    tokens.inputTokens += inputTokens;
    tokens.outputTokens += outputTokens;
    tokens.totalTokens += inputTokens + outputTokens;
  }
  return { type: "usage", cost: { currency: "USD", ...fees, totalFee, byok: true }, tokens };
}
