import { priceOfText, priceText } from "@muster/service/money";
import manifest from "../package.json" with { type: "json" };
import { type Cost, costAt, type TokenUsage } from "./cost.ts";
import { type CatalogEntry, entryOf, ownEntries } from "./entry.ts";
import { type KnownModels, readModels } from "./models.ts";
import { unlistedProviders } from "./overlay.ts";
import { nextChangeMs, pricesAt } from "./published.ts";

export interface CatalogOptions {
  /** The platform's own fee in US dollars for a million tokens. Default "0". */
  bandwidthPer1M?: string;
  /** Decides which dated prices apply. Defaults to the system clock. */
  clock?: { now(): number };
}

export interface Catalog {
  /** Names the prices of `costOf`, for records of past costs: `genai-prices 0.1.8`. */
  readonly priceVersion: string;
  /** Sorted by id and frozen; the same array until a dated price takes effect. */
  readonly entries: readonly CatalogEntry[];
  /** Whether the model exists, by its id, an alias or a dated name. `local/…` always exists. */
  knows(id: string): boolean;
  /** The id under which it is listed, `local/*` for all of `local/…`: few values, whatever callers write. Undefined: unknown. */
  nameOf(id: string): string | undefined;
  /** The cost of a call at current prices; undefined for a model without known prices. */
  costOf(id: string, usage: TokenUsage): Cost | undefined;
  /** The context window in tokens; undefined if it is not known, as for `local/…`. */
  contextLengthOf(id: string): number | undefined;
}

/** Creates the catalog of models. The data set is read on first use. Throws RangeError if the fee is not a decimal. */
export function createCatalog(options: CatalogOptions = {}): Catalog {
  const { clock = { now: () => Date.now() } } = options;
  const bandwidth = priceOfText(options.bandwidthPer1M ?? "0");
  if (bandwidth === undefined) throw new RangeError("bandwidthPer1M must be a decimal number, such as 0.05");
  const listed = createListing(priceText(bandwidth));
  return {
    priceVersion,
    get entries() {
      return listed(clock.now());
    },
    knows: (id) => isOwn(id) || isUnlisted(id) || models().find(id) !== undefined,
    nameOf: (id) => {
      if (isOwn(id)) return id;
      return isUnlisted(id) ? `${id.slice(0, id.indexOf("/"))}/*` : models().find(id)?.id;
    },
    costOf: (id, usage) => {
      if (isOwn(id)) return costAt(undefined, 0n, usage);
      if (isUnlisted(id)) return costAt(undefined, bandwidth, usage);
      const model = models().find(id);
      const prices = model && pricesAt(model.published, clock.now());
      return prices && costAt(prices, bandwidth, usage);
    },
    contextLengthOf: (id) => {
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
