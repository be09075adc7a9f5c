import type { LanguageModelV4 } from "@ai-sdk/provider";
import { type Clock, type Secret, systemClock } from "@muster/service";
import { createProviderChecks, defaultCheckTimeoutMs } from "./check/check-providers.ts";
import type { ProviderCheck } from "./check/provider-check.ts";
import type { ModelsConfig } from "./config.ts";
import type { StreamLimits } from "./default-stream-limits.ts";
import { createEchoModel } from "./demo/echo-model.ts";
import { boundFetch } from "./http/body-gate.ts";
import {
  configWith,
  isKey,
  type MakeModel,
  notConfigured,
  type ProjectKeys,
  type ProviderConfig,
} from "./provider-definition.ts";
import { type ProviderName, parseModelId, providerNamed, providers } from "./providers/index.ts";
import { rememberAccess } from "./stream-model.ts";

/** `usesProjectKey`: it is called with the project's own key. `problem`: a sentence for users that says what to do. */
export type ResolvedModel =
  | { ok: true; model: LanguageModelV4; usesProjectKey?: true }
  | { ok: false; problem: string };

/** The models of this installation. */
export interface Models {
  /** The usable providers, for users: name, the shape of its model ids, and the base URL if the operator set one. */
  configuredProviders(): Array<{ name: string; models?: string; baseUrl?: string }>;
  /**
   * The model of a `provider/model-id`, called with the project's own key if there is one for its provider. A model that
   * the provider does not know fails in its first call.
   */
  resolve(modelId: string, projectKeys?: ProjectKeys): Promise<ResolvedModel>;
  /**
   * Asks every provider at once whether it is reachable and accepts its key, the project's own if there is one, for at most
   * 5 s. Results are cached for 30 s. In the order of `providers`, then demo.
   */
  checkProviders(projectKeys?: ProjectKeys): Promise<readonly ProviderCheck[]>;
  /** The configured limits, for `streamModel`. */
  readonly limits: StreamLimits;
}

const maxCachedModels = 256;

export interface ModelsOptions {
  /** Replaces the HTTP client of all providers. */
  fetch?: typeof globalThis.fetch;
  /** Decides when a cached check expires. */
  clock?: Clock;
  /** How long the check of one provider may take. */
  checkTimeoutMs?: number;
}

export function createModels(config: ModelsConfig, options: ModelsOptions = {}): Models {
  const echo = createEchoModel({ wordDelayMs: config.demoWordDelayMs });
  const makers = new Map<ProviderName, Promise<MakeModel>>();
  const models = new ModelCache(maxCachedModels);
  const modelsByKey = new ModelsByKey();

  let ownFetch: Promise<typeof globalThis.fetch> | undefined;
  const fetchOf = async () => {
    if (options.fetch !== undefined) return options.fetch;
    if (config.useGlobalFetch) return boundFetch(globalThis.fetch, config.bounds);
    // Its connections need no closing: idle ones do not keep the process alive.
    ownFetch ??= import("./http/fetch.ts").then(({ createFetch }) => createFetch(config.bounds).fetch);
    return ownFetch;
  };

  const load = (name: ProviderName, provider: ProviderConfig) =>
    fetchOf().then((fetch) => providerNamed(name).load({ config: provider, fetch }));

  const makerOf = (name: ProviderName) => {
    const provider = config.providers[name];
    if (provider === undefined) return undefined;
    const maker = makers.get(name) ?? load(name, provider);
    makers.set(name, maker);
    return maker;
  };

  const withProjectKey = async (
    { provider: name, model }: { provider: ProviderName; model: string },
    key: Secret | { problem: string },
  ): Promise<ResolvedModel> => {
    if (!isKey(key)) return { ok: false, problem: key.problem };
    const provider = configWith(providerNamed(name), config.providers[name], key);
    if (provider === undefined) return { ok: false, problem: notConfigured(providerNamed(name)) };
    const made = await modelsByKey.resolve(key, model, {
      baseUrl: provider.baseUrl,
      load: () => load(name, provider),
    });
    return { ok: true, model: made, usesProjectKey: true };
  };

  const checkProviders = createProviderChecks({
    config,
    fetch: fetchOf,
    clock: options.clock ?? systemClock,
    timeoutMs: options.checkTimeoutMs ?? defaultCheckTimeoutMs,
  });

  return {
    limits: config.limits,
    checkProviders,
    configuredProviders: () => describeProviders(config),
    async resolve(modelId, projectKeys) {
      if (projectKeys === undefined || projectKeys.size === 0) {
        const known = models.get(modelId);
        if (known !== undefined) return { ok: true, model: known };
      }
      const parsed = parseModelId(modelId);
      if (!parsed.ok) return parsed;
      const { id } = parsed;
      if (id.provider === "demo") return { ok: true, model: echo };
      const projectKey = projectKeys?.get(id.provider);
      if (projectKey !== undefined) return withProjectKey(id, projectKey);
      const make = await makerOf(id.provider);
      if (make === undefined) return { ok: false, problem: notConfigured(providerNamed(id.provider)) };
      const model = models.getOrMake(modelId, () => {
        const made = make(id.model);
        const { apiKey, baseUrl } = config.providers[id.provider] ?? {};
        rememberAccess(made, { apiKey, isProjects: false, baseUrl });
        return made;
      });
      return { ok: true, model };
    },
  };
}

function describeProviders(config: ModelsConfig): Array<{ name: string; models?: string; baseUrl?: string }> {
  const configured = providers.flatMap(({ name, modelIds }) => {
    const provider = config.providers[name];
    if (provider === undefined) return [];
    return [{ name, models: modelIds, ...(provider.baseUrl !== undefined && { baseUrl: provider.baseUrl }) }];
  });
  return [...configured, { name: "demo", models: "demo/echo" }];
}

/** Making a model is expensive, so each is made once. Model ids come from users, who could fill the memory without a bound. */
class ModelCache {
  readonly #models = new Map<string, LanguageModelV4>();
  readonly #maxModels: number;

  constructor(maxModels: number) {
    this.#maxModels = maxModels;
  }

  get(modelId: string): LanguageModelV4 | undefined {
    return this.#models.get(modelId);
  }

  /** Checks again: many calls may have waited for the maker. */
  getOrMake(modelId: string, make: () => LanguageModelV4): LanguageModelV4 {
    const model = this.#models.get(modelId) ?? make();
    this.#models.set(modelId, model);
    const [oldest] = this.#models.keys();
    if (this.#models.size > this.#maxModels && oldest !== undefined) this.#models.delete(oldest);
    return model;
  }
}

const maxModelsOfKey = 16;

interface KeyedModels {
  make: Promise<MakeModel>;
  models: ModelCache;
}

/** The models of short-lived keys. They go with their key. */
class ModelsByKey {
  readonly #byKey = new WeakMap<Secret, KeyedModels>();

  /** `load`: called once for each key. */
  async resolve(
    apiKey: Secret,
    model: string,
    { baseUrl, load }: { baseUrl: string | undefined; load: () => Promise<MakeModel> },
  ): Promise<LanguageModelV4> {
    const { make, models } = this.#of(apiKey, load);
    const known = models.get(model);
    if (known !== undefined) return known;
    const maker = await make;
    return models.getOrMake(model, () => {
      const made = maker(model);
      rememberAccess(made, { apiKey, isProjects: true, baseUrl });
      return made;
    });
  }

  #of(apiKey: Secret, load: () => Promise<MakeModel>): KeyedModels {
    const known = this.#byKey.get(apiKey);
    if (known !== undefined) return known;
    const made = { make: load(), models: new ModelCache(maxModelsOfKey) };
    this.#byKey.set(apiKey, made);
    return made;
  }
}
