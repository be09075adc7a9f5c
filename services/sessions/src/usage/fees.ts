import { addDecimals } from "@muster/service/money";
import type { Fees } from "../store/session-document.ts";

export const noFees: Fees = { providerFee: "0", bandwidthFee: "0" };

/** The sum is of the project's own keys only if both parts are. Before the first call, neither is known. */
export function addFees(a: Fees, b: Fees): Fees {
  const isOwn = a.byok === undefined ? b.byok : a.byok && b.byok;
  return {
    ...(isOwn !== undefined && { byok: isOwn }),
    providerFee: addDecimals(a.providerFee, b.providerFee),
    bandwidthFee: addDecimals(a.bandwidthFee, b.bandwidthFee),
  };
}
