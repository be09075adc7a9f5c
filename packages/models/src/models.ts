import type { LanguageModelV4 } from "@ai-sdk/provider";
import { type Clock, systemClock } from "@muster/service";
import { createProviderChecks, defaultCheckTimeoutMs } from "./check/check-providers.ts";
import type { ProviderCheck } from "./check/provider-check.ts";
import type { ModelsConfig } from "./config.ts";
import { createEchoModel } from "./demo/echo.ts";
import { boundFetch } from "./http/bound-response.ts";
import { parseModelId } from "./model-id.ts";
import { rememberKey } from "./model-keys.ts";
import { notConfigured } from "./not-configured.ts";
import type { MakeModel } from "./provider-definition.ts";
import { type ProviderName, providerNamed, providers } from "./providers/index.ts";
import type { StreamLimits } from "./stream-limits.ts";

/** The models of this installation. */
export interface Models {
  /** The usable providers, for users: name, the shape of its model ids, and the base URL if the operator set one. */
  configuredProviders(): Array<{ name: string; models?: string; baseUrl?: string }>;
  /**
   * The model of a `provider/model-id`. A model that the provider does not know fails in its first call. `problem` is
   * a sentence for users that says what to do.
   */
  resolve(modelId: string): Promise<{ ok: true; model: LanguageModelV4 } | { ok: false; problem: string }>;
  /**
   * Asks every provider at once whether it is reachable and accepts its key, for at most 5 s. Results are cached for
   * 30 s. In the order of `providers`, then demo.
   */
  checkProviders(): Promise<readonly ProviderCheck[]>;
  /** The configured limits, for `streamModel`. */
  readonly limits: StreamLimits;
}

// Model ids come from users: without a bound, invented ones would fill the memory.
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
  const models = new Map<string, LanguageModelV4>();

  let ownFetch: Promise<typeof globalThis.fetch> | undefined;
  const fetchOf = async () => {
    if (options.fetch !== undefined) return options.fetch;
    if (config.useGlobalFetch) return boundFetch(globalThis.fetch, config.bounds);
    // Its connections need no closing: idle ones do not keep the process alive.
    ownFetch ??= import("./http/fetch.ts").then(({ createFetch }) => createFetch(config.bounds).fetch);
    return ownFetch;
  };

  const makerOf = (name: ProviderName) => {
    const provider = config.providers[name];
    if (provider === undefined) return undefined;
    const maker =
      makers.get(name) ?? fetchOf().then((fetch) => providerNamed(name).load({ config: provider, fetch }));
    makers.set(name, maker);
    return maker;
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
    async resolve(modelId) {
      const known = models.get(modelId);
      if (known !== undefined) return { ok: true, model: known };
      const parsed = parseModelId(modelId);
      if (!parsed.ok) return parsed;
      if (parsed.id.provider === "demo") return { ok: true, model: echo };
      const make = await makerOf(parsed.id.provider);
      if (make === undefined) return { ok: false, problem: notConfigured(providerNamed(parsed.id.provider)) };
      // Looked up again: many calls may have waited for the package, and making a model is expensive.
      const model = models.get(modelId) ?? make(parsed.id.model);
      rememberKey(model, config.providers[parsed.id.provider]?.apiKey);
      remember(models, modelId, model);
      return { ok: true, model };
    },
  };
}

function remember(models: Map<string, LanguageModelV4>, modelId: string, model: LanguageModelV4): void {
  models.set(modelId, model);
  if (models.size <= maxCachedModels) return;
  const [oldest] = models.keys();
  if (oldest !== undefined) models.delete(oldest);
}

function describeProviders(config: ModelsConfig): Array<{ name: string; models?: string; baseUrl?: string }> {
  const configured = providers.flatMap(({ name, modelIds }) => {
    const provider = config.providers[name];
    if (provider === undefined) return [];
    return [{ name, models: modelIds, ...(provider.baseUrl !== undefined && { baseUrl: provider.baseUrl }) }];
  });
  return [...configured, { name: "demo", models: "demo/echo" }];
}
