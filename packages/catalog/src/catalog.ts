import { type Amount, amountOf, amountText, type Price, priceOfText, priceText } from "@muster/service/money";
import manifest from "../package.json" with { type: "json" };
import { type CatalogEntry, entryOf, ownEntries } from "./entry.ts";
import { type KnownModels, readModels } from "./models.ts";
import { unlistedProviders } from "./overlay.ts";
import { nextChangeMs, pricesAt, type TokenPrices } from "./published.ts";

export interface CatalogOptions {
  /** The platform's own fee in US dollars for a million tokens. Default "0". */
  bandwidthPer1M?: string;
  /** Decides which dated prices apply. Defaults to the system clock. */
  clock?: { now(): number };
}

export type Catalog = ReturnType<typeof createCatalog>;

/** Creates the catalog of models. The data set is read on first use. Throws RangeError if the fee is not a decimal. */
export function createCatalog(options: CatalogOptions = {}) {
  const { clock = { now: () => Date.now() } } = options;
  const bandwidth = priceOfText(options.bandwidthPer1M ?? "0");
  if (bandwidth === undefined) throw new RangeError("bandwidthPer1M must be a decimal number, such as 0.05");
  const listed = createListing(priceText(bandwidth));
  return {
    /** Names the prices of `costOf`, for records of past costs: `genai-prices 0.1.8`. */
    priceVersion,
    /** Sorted by id and frozen; the same array until a dated price takes effect. */
    get entries() {
      return listed(clock.now());
    },
    /** Whether the model exists, by its id, an alias or a dated name. `local/…` always exists. */
    knows: (id: string) => isOwn(id) || isUnlisted(id) || models().find(id) !== undefined,
    /** The id under which it is listed, `local/*` for all of `local/…`: few values, whatever callers write. Undefined: unknown. */
    nameOf: (id: string) => {
      if (isOwn(id)) return id;
      return isUnlisted(id) ? `${id.slice(0, id.indexOf("/"))}/*` : models().find(id)?.id;
    },
    /** The cost of a call at current prices; undefined for a model without known prices. */
    costOf: (id: string, usage: TokenUsage) => {
      if (isOwn(id)) return costAt(undefined, 0n, usage);
      if (isUnlisted(id)) return costAt(undefined, bandwidth, usage);
      const model = models().find(id);
      const prices = model && pricesAt(model.published, clock.now());
      return prices && costAt(prices, bandwidth, usage);
    },
    /** The context window in tokens; undefined if it is not known, as for `local/…`. */
    contextLengthOf: (id: string) => {
      const own = ownEntries.find((entry) => entry.id === id);
      if (own !== undefined || isUnlisted(id)) return own?.contextLength ?? undefined;
      return models().find(id)?.contextLength ?? undefined;
    },
  };
}

/** The data set is pinned to an exact version. */
const priceVersion = `genai-prices ${manifest.dependencies["@pydantic/genai-prices"]}`;

let read: KnownModels | undefined;

/** All catalogs of the process share the data set. */
function models(): KnownModels {
  read ??= readModels();
  return read;
}

/** Lists the models, and again only after a price has changed. */
function createListing(bandwidthPer1M: string): (nowMs: number) => readonly CatalogEntry[] {
  let entries: readonly CatalogEntry[] = [];
  let [fromMs, untilMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return (nowMs) => {
    if (nowMs >= fromMs && nowMs < untilMs) return entries;
    entries = listAt(nowMs, bandwidthPer1M);
    const published = models().all.map((model) => model.published);
    [fromMs, untilMs] = [nowMs, nextChangeMs(published, nowMs)];
    return entries;
  };
}

function listAt(nowMs: number, bandwidthPer1M: string): readonly CatalogEntry[] {
  const priced = models()
    .all.filter(({ published }) => !published.isFamily)
    .flatMap((model) => {
      const prices = pricesAt(model.published, nowMs);
      return prices ? [entryOf(model, prices, bandwidthPer1M)] : [];
    });
  return Object.freeze([...priced, ...ownEntries].sort((a, b) => (a.id < b.id ? -1 : 1)));
}

function isOwn(id: string): boolean {
  return ownEntries.some((entry) => entry.id === id);
}

function isUnlisted(id: string): boolean {
  return unlistedProviders.some(
    (provider) => id.startsWith(`${provider}/`) && id.length > provider.length + 1,
  );
}

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
