import { type Price, priceOfNumber } from "@muster/service/money";
import { calcPrice, findProvider } from "@pydantic/genai-prices";
import type { PriceVariant, PublishedModel, PublishedProvider, Rates, TokenPrices } from "./published.ts";

// The only file that knows the shape of the data set, whose version is 0.x: it may change with every release.

type Provider = NonNullable<ReturnType<typeof findProvider>>;
type Model = Provider["models"][number];
type Variants = Extract<Model["prices"], unknown[]>;
type Published = Variants[number]["prices"];

/** A provider by its id in the data set. Throws if it does not exist: the version is pinned, so that is our mistake. */
export function readProvider(id: string): PublishedProvider {
  const provider = findProvider({ providerId: id });
  if (provider === undefined) throw new Error(`The price data set has no provider ${id}`);
  const models = new Map(provider.models.map((model) => [model.id, readModel(model, provider)]));
  return {
    models: [...models.values()],
    find: (modelId) => models.get(calcPrice({}, modelId, { provider })?.model.id ?? ""),
  };
}

function readModel(model: Model, provider: Provider): PublishedModel {
  const { id, name, context_window, prices } = model;
  return {
    id,
    name,
    contextLength: context_window ?? null,
    isFamily: id.endsWith("-") || calcPrice({}, id, { provider: { ...provider, models: [model] } }) === null,
    variants: Array.isArray(prices) ? prices.map(readVariant) : [alwaysAt(prices)],
  };
}

function readVariant({ constraint, prices }: Variants[number]): PriceVariant {
  if (constraint === undefined) return alwaysAt(prices);
  if (constraint.type === "time_of_date") return { ...alwaysAt(prices), onlySomeHours: true };
  const fromMs = Date.parse(constraint.start_date);
  if (Number.isNaN(fromMs)) throw new RangeError(`${constraint.start_date} is not a date`);
  return { ...alwaysAt(prices), fromMs };
}

function alwaysAt(prices: Published): PriceVariant {
  return { fromMs: Number.NEGATIVE_INFINITY, onlySomeHours: false, prices: readPrices(prices) };
}

const free: Rates = {
  input: 0n,
  output: 0n,
  cacheRead: undefined,
  cacheWrite: undefined,
  reasoning: undefined,
};

/** No price at all means free of charge. Prices without text prices belong to a model that does not produce text. */
function readPrices(published: Published): TokenPrices | undefined {
  if (Object.keys(published).length === 0) return { base: free, tiers: [] };
  const base = ratesAt(published, 0);
  const tiers = startsOf(published).map((start) => {
    const rates = ratesAt(published, start + 1);
    // In the data set, a price applies above its start.
    return rates && { minInputTokens: start + 1, ...rates };
  });
  return base && { base, tiers: tiers.filter((tier) => tier !== undefined) };
}

const pricedKinds = [
  "input_mtok",
  "output_mtok",
  "cache_read_mtok",
  "cache_write_mtok",
  "output_reasoning_mtok",
] as const;

/** The boundaries of all token kinds together, ascending and without duplicates. */
function startsOf(published: Published): number[] {
  const starts = pricedKinds.flatMap((kind) => {
    const price = published[kind];
    return typeof price === "object" ? price.tiers.map(({ start }) => start) : [];
  });
  return [...new Set(starts)].sort((a, b) => a - b);
}

function ratesAt(published: Published, inputTokens: number): Rates | undefined {
  const at = (kind: (typeof pricedKinds)[number]) => priceAt(published[kind], inputTokens);
  const [input, output] = [at("input_mtok"), at("output_mtok")];
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    cacheRead: at("cache_read_mtok"),
    cacheWrite: at("cache_write_mtok"),
    reasoning: at("output_reasoning_mtok"),
  };
}

function priceAt(price: Published[string], inputTokens: number): Price | undefined {
  if (price === undefined) return undefined;
  if (typeof price === "number") return priceOfNumber(price);
  const tier = price.tiers.filter(({ start }) => start < inputTokens).sort((a, b) => b.start - a.start)[0];
  return priceOfNumber(tier?.price ?? price.base);
}
