import { type Amount, amountOf, amountText, type Price } from "@muster/service/money";
import type { TokenPrices } from "./published.ts";

/** Tokens of one model call, as reported by the provider: anything but a positive number counts as 0. */
export interface TokenUsage {
  /** In total, including cached tokens. */
  inputTokens: number;
  /** In total, including reasoning. */
  outputTokens: number;
  /** The part of the input that was read from the provider's cache. Default 0. */
  cacheReadTokens?: number | undefined;
  /** The part of the input that was written to the provider's cache. Default 0. */
  cacheWriteTokens?: number | undefined;
  /** The part of the output that was reasoning. Default 0. */
  reasoningTokens?: number | undefined;
  /** How often the provider charges the list price: a whole number. Default 1. */
  priceFactor?: number;
}

/** Exact amounts, as decimals in the same form as prices. */
export interface Cost {
  currency: "USD";
  /** The provider's charges. */
  providerFee: string;
  /** The platform's charges. */
  bandwidthFee: string;
  totalFee: string;
}

/** The cost of one call. `prices` undefined: the provider charges nothing. */
export function costAt(prices: TokenPrices | undefined, bandwidth: Price, usage: TokenUsage): Cost {
  const providerFee = prices ? providerFeeOf(prices, usage) * BigInt(usage.priceFactor ?? 1) : 0n;
  const bandwidthFee = amountOf(bandwidth, count(usage.inputTokens) + count(usage.outputTokens));
  return {
    currency: "USD",
    providerFee: amountText(providerFee),
    bandwidthFee: amountText(bandwidthFee),
    totalFee: amountText(providerFee + bandwidthFee),
  };
}

function providerFeeOf({ base, tiers }: TokenPrices, usage: TokenUsage): Amount {
  const [input, output] = [count(usage.inputTokens), count(usage.outputTokens)];
  const rates = tiers.findLast(({ minInputTokens }) => input >= minInputTokens) ?? base;
  // A part never exceeds the whole, even if the provider reports it.
  const cacheRead = least(count(usage.cacheReadTokens), input);
  const cacheWrite = least(count(usage.cacheWriteTokens), input - cacheRead);
  const reasoning = least(count(usage.reasoningTokens), output);
  return (
    amountOf(rates.input, input - cacheRead - cacheWrite) +
    amountOf(rates.cacheRead ?? rates.input, cacheRead) +
    amountOf(rates.cacheWrite ?? rates.input, cacheWrite) +
    amountOf(rates.output, output - reasoning) +
    amountOf(rates.reasoning ?? rates.output, reasoning)
  );
}

function count(tokens: number | undefined): bigint {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? BigInt(Math.ceil(tokens)) : 0n;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
