import type { modelProviders } from "@muster/language";
import { corrections, unsuited } from "./overlay.ts";
import type { PublishedModel } from "./published.ts";
import { readProvider } from "./read-provider.ts";

/** A model of the data set that an agent can name. */
export interface KnownModel {
  /** `provider/model id as published`. */
  id: string;
  provider: string;
  name: string;
  contextLength: number | null;
  published: PublishedModel;
}

type PricedProvider = Exclude<(typeof modelProviders)[number], "local" | "demo">;

/** Each provider's id in the data set. A provider that is missing here does not compile. */
export const dataSetIds: Readonly<Record<PricedProvider, string>> = {
  aggregator: "openrouter",
  anthropic: "anthropic",
  google: "google",
  openai: "openai",
  xai: "x-ai",
};

export interface KnownModels {
  all: readonly KnownModel[];
  /** By id, alias or dated version, of any length and content. */
  find(id: string): KnownModel | undefined;
}

const maxIdLength = 200;

/** Reads the data set, which takes about ten milliseconds. */
export function readModels(): KnownModels {
  const providers = new Map(Object.entries(dataSetIds).map(([name, id]) => [name, readProvider(id)]));
  const byPublished = new Map<PublishedModel, KnownModel>();
  for (const [name, provider] of providers) {
    for (const model of provider.models) {
      const known = knownModel(name, model);
      if (known) byPublished.set(model, known);
    }
  }
  const all = [...byPublished.values()];
  const byId = new Map(all.filter(({ published }) => !published.isFamily).map((model) => [model.id, model]));
  const findAlias = (id: string) => {
    // The data set tries its own patterns one after the other: long ids must not reach them.
    if (id.length > maxIdLength) return undefined;
    const slash = id.indexOf("/");
    const published = providers.get(id.slice(0, Math.max(slash, 0)))?.find(id.slice(slash + 1));
    return published && byPublished.get(published);
  };
  return { all, find: (id) => byId.get(id) ?? findAlias(id) };
}

function knownModel(provider: string, model: PublishedModel): KnownModel | undefined {
  const id = `${provider}/${model.id}`;
  const isPaidByText = model.variants.every(({ prices }) => prices !== undefined);
  if (!isPaidByText || unsuited.some(({ ids }) => ids.test(id))) return undefined;
  const corrected = corrections[id];
  return {
    id,
    provider,
    name: corrected?.name ?? model.name ?? nameFrom(model.id),
    contextLength: corrected?.contextLength ?? model.contextLength,
    published: model,
  };
}

/** A name for a model that was published without one, such as `vendor/some-model-7b:free` → `Some Model 7b (free)`. */
function nameFrom(modelId: string): string {
  const [base = "", variant] = modelId.slice(modelId.lastIndexOf("/") + 1).split(":");
  const words = base.split(/[-_]/).filter((word) => word !== "");
  const name = words
    .map((word) => (word === "gpt" ? "GPT" : word.charAt(0).toUpperCase() + word.slice(1)))
    .join(" ");
  return variant === undefined ? name : `${name} (${variant})`;
}
