import type { Price } from "@muster/service/money";

/** Prices by kind of token. A kind without a price of its own costs as much as the kind that includes it. */
export interface Rates {
  input: Price;
  output: Price;
  cacheRead: Price | undefined;
  cacheWrite: Price | undefined;
  reasoning: Price | undefined;
}

/** The rates of a whole request with at least this many input tokens. */
export interface Tier extends Rates {
  minInputTokens: number;
}

export interface TokenPrices {
  /** For requests with fewer input tokens than the first tier requires. */
  base: Rates;
  /** Ascending. */
  tiers: readonly Tier[];
}

/** One set of published prices. One set applies at a time. */
export interface PriceVariant {
  /** Milliseconds since 1970; -Infinity for always. */
  fromMs: number;
  /** Applies at certain hours of the day only. */
  onlySomeHours: boolean;
  /** Undefined for models that are not paid by input and output tokens of text: speech, embeddings. */
  prices: TokenPrices | undefined;
}

export interface PublishedModel {
  /** Exactly as published, without our provider. */
  id: string;
  name: string | undefined;
  contextLength: number | null;
  /** The id is not a model but the common prefix of several, such as `ft:gpt-4o`. Only those can be called. */
  isFamily: boolean;
  /** At least one; if several apply, a later one replaces those before it. */
  variants: readonly PriceVariant[];
}

export interface PublishedProvider {
  models: readonly PublishedModel[];
  /** Finds a model by its id, an alias or a dated version. `modelId` is without our provider. */
  find(modelId: string): PublishedModel | undefined;
}

/**
 * The prices that apply at a time. If they depend on the hour, the most expensive ones apply, so that a budget is
 * never too small. Undefined for models that are not paid by tokens of text.
 */
export function pricesAt({ variants }: PublishedModel, nowMs: number): TokenPrices | undefined {
  let dearest: TokenPrices | undefined;
  for (const { fromMs, onlySomeHours, prices } of variants.toReversed()) {
    if (fromMs > nowMs) continue;
    dearest = dearer(dearest, prices);
    if (!onlySomeHours) return dearest;
  }
  return dearest ?? variants[0]?.prices;
}

/** The time of the next price change; Infinity if there is none. */
export function nextChangeMs(models: Iterable<PublishedModel>, nowMs: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { variants } of models) {
    for (const { fromMs } of variants) if (fromMs > nowMs && fromMs < next) next = fromMs;
  }
  return next;
}

function dearer(one: TokenPrices | undefined, other: TokenPrices | undefined): TokenPrices | undefined {
  if (!one || !other) return one ?? other;
  return other.base.input > one.base.input ? other : one;
}
