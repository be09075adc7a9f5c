import { addDecimals } from "@muster/service/money";
import type { EventOf } from "@muster/wire/events";
import type { Fees } from "../store/session-document.ts";

export type ShownCost = EventOf<"usage">["cost"];

/** Fees are US dollars, as numbers because clients parse numbers; they are added up as exact decimals before that. */
export function shownCost({ providerFee, bandwidthFee, byok = false }: Fees): ShownCost {
  return {
    currency: "USD",
    providerFee: Number(providerFee),
    bandwidthFee: Number(bandwidthFee),
    totalFee: Number(addDecimals(providerFee, bandwidthFee)),
    byok,
  };
}
