import { priceText } from "@muster/service/money";
import type { KnownModel } from "./models.ts";
import { ownModels } from "./overlay.ts";
import type { Rates, TokenPrices } from "./published.ts";

/** A model as the API lists it. Prices are US dollars for a million tokens, as decimals without trailing zeros. */
export interface CatalogEntry {
  /** The value for an agent's `model` field. */
  readonly id: string;
  readonly name: string;
  /** The part of the id before the first slash. */
  readonly provider: string;
  /** Whether the platform calls the model's maker or a service that forwards to many. */
  readonly routing: "direct" | "aggregator";
  /** In tokens; null if unknown. */
  readonly contextLength: number | null;
  readonly pricing: EntryPricing;
}

export interface EntryPricing {
  readonly inputPer1M: string;
  readonly outputPer1M: string;
  /** Null: cached input costs as much as other input. */
  readonly cacheReadPer1M: string | null;
  /** Null: reasoning costs as much as other output. */
  readonly reasoningPer1M: string | null;
  /** The platform's own fee, for both input and output. */
  readonly bandwidthPer1M: string;
  /** Ascending; empty for flat prices. */
  readonly tiers: readonly EntryTier[];
}

/** Prices of a whole request with at least this many input tokens. Below the first tier the flat prices apply. */
export interface EntryTier {
  readonly minInputTokens: number;
  readonly inputPer1M: string;
  readonly outputPer1M: string;
}

/** `bandwidthPer1M` in canonical form. */
export function entryOf(
  model: KnownModel,
  { base, tiers }: TokenPrices,
  bandwidthPer1M: string,
): CatalogEntry {
  const { id, name, provider, contextLength } = model;
  return Object.freeze({
    id,
    name,
    provider,
    routing: provider === "aggregator" ? "aggregator" : "direct",
    contextLength,
    pricing: Object.freeze({
      ...textPrices(base),
      cacheReadPer1M: base.cacheRead === undefined ? null : priceText(base.cacheRead),
      reasoningPer1M: base.reasoning === undefined ? null : priceText(base.reasoning),
      bandwidthPer1M,
      tiers: Object.freeze(
        tiers.map((tier) => Object.freeze({ minInputTokens: tier.minInputTokens, ...textPrices(tier) })),
      ),
    }),
  });
}

function textPrices({ input, output }: Rates) {
  return { inputPer1M: priceText(input), outputPer1M: priceText(output) };
}

const nothing: EntryPricing = Object.freeze({
  inputPer1M: "0",
  outputPer1M: "0",
  cacheReadPer1M: null,
  reasoningPer1M: null,
  bandwidthPer1M: "0",
  tiers: Object.freeze([]),
});

/** Muster's own models. */
export const ownEntries: readonly CatalogEntry[] = ownModels.map(({ id, name, contextLength }) =>
  Object.freeze({
    id,
    name,
    provider: id.slice(0, id.indexOf("/")),
    routing: "direct",
    contextLength,
    pricing: nothing,
  }),
);
