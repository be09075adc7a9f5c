import type { Fees } from "../../store/session-document.ts";
import { addDecimals } from "./decimal.ts";

export const noFees: Fees = { providerFee: "0", bandwidthFee: "0" };

export function addFees(a: Fees, b: Fees): Fees {
  return {
    providerFee: addDecimals(a.providerFee, b.providerFee),
    bandwidthFee: addDecimals(a.bandwidthFee, b.bandwidthFee),
  };
}
