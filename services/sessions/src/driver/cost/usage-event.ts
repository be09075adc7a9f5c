import type { Frame } from "../../engine/boundary/frame.ts";
import type { Fees } from "../../store/session-document.ts";
import { addDecimals } from "./decimal.ts";

/** What an execution has used so far, its earlier requests included. Follows `finish`. */
export interface UsageEvent {
  type: "usage";
  cost: Fees & {
    currency: "USD";
    totalFee: string;
    /** The providers bill whoever runs this platform, with whose keys it calls them. */
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
