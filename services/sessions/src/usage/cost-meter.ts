import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Catalog } from "@muster/catalog";
import type { Fees } from "../store/session-document.ts";
import { addFees, noFees } from "./fees.ts";

export interface CallTerms {
  /** The call used a key of the project. */
  byok: boolean;
  /** The provider's charges, in list prices. Default 1. */
  priceFactor?: number;
}

/**
 * Adds up the cost of an execution's model calls, call by call, because some prices depend on the size of a call
 * and because prices change. A model that is not in the catalog costs nothing.
 */
export class CostMeter {
  readonly #catalog: Pick<Catalog, "costOf">;
  #fees: Fees;

  /** `fees`: the execution's fees so far. */
  constructor(catalog: Pick<Catalog, "costOf">, fees: Fees = noFees) {
    this.#catalog = catalog;
    this.#fees = fees;
  }

  get fees(): Fees {
    return this.#fees;
  }

  /** Returns the cost of the call. */
  add(
    modelId: string,
    { inputTokens, outputTokens }: LanguageModelV4Usage,
    { byok, priceFactor = 1 }: CallTerms,
  ): Fees {
    const cost = this.#catalog.costOf(modelId, {
      inputTokens: inputTokens.total ?? 0,
      outputTokens: outputTokens.total ?? 0,
      cacheReadTokens: inputTokens.cacheRead,
      cacheWriteTokens: inputTokens.cacheWrite,
      reasoningTokens: outputTokens.reasoning,
      priceFactor,
    });
    const { providerFee, bandwidthFee } = cost ?? noFees;
    const fees = { providerFee, bandwidthFee, byok };
    this.#fees = addFees(this.#fees, fees);
    return fees;
  }
}
