import type { Price } from "./decimal.ts";

/** Prices of the kinds of tokens. What is not priced by itself costs as what it is a part of. */
export interface Rates {
  input: Price;
  output: Price;
  cacheRead: Price | undefined;
  cacheWrite: Price | undefined;
  reasoning: Price | undefined;
}

/** The rates of a whole request of so many input tokens or more. */
export interface Tier extends Rates {
  minInputTokens: number;
}

export interface TokenPrices {
  /** For requests with fewer input tokens than the first tier asks for. */
  base: Rates;
  /** Ascending. */
  tiers: readonly Tier[];
}

/** Prices as they were published, of which one set holds at a time. */
export interface PriceVariant {
  /** Milliseconds since 1970; -Infinity for always. */
  fromMs: number;
  /** Holds at certain hours of the day only. */
  onlySomeHours: boolean;
  /** Undefined for what is not paid by input and output tokens of text: speech, embeddings. */
  prices: TokenPrices | undefined;
}

export interface PublishedModel {
  /** Exactly as published, without our provider. */
  id: string;
  name: string | undefined;
  contextLength: number | null;
  /** The id is no model's but what the ids of several begin with: `ft:gpt-4o`. Only those can be called. */
  isFamily: boolean;
  /** At least one; where several hold, a later one replaces those before it. */
  variants: readonly PriceVariant[];
}

export interface PublishedProvider {
  models: readonly PublishedModel[];
  /** The model that an id means: itself, an alias, or a dated version. `modelId` is without our provider. */
  find(modelId: string): PublishedModel | undefined;
}

/**
 * The prices that hold at a time. Where they depend on the hour the dearest are taken, so that a budget never turns
 * out too small. Undefined for what is not paid by tokens of text.
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

/** When prices change next; Infinity for never. */
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
