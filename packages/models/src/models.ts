import type { LanguageModelV4 } from "@ai-sdk/provider";
import { type Clock, systemClock } from "@muster/service";
import { createProviderChecks, defaultCheckTimeoutMs } from "./check/check-providers.ts";
import type { ProviderCheck } from "./check/provider-check.ts";
import type { ModelsConfig } from "./config.ts";
import { createEchoModel } from "./demo/echo.ts";
import { type ProviderName, parseModelId, providerNames } from "./model-id.ts";
import { notConfigured } from "./not-configured.ts";
import { loadProvider } from "./providers.ts";
import type { StreamLimits } from "./stream-limits.ts";

/** The models of this installation. */
export interface Models {
  /** What can be used, for people: names, the shape of their model ids, and base URLs that the operator set. */
  configuredProviders(): Array<{ name: string; models?: string; baseUrl?: string }>;
  /**
   * The model of a `provider/model-id`. Whether the provider knows the model shows in the first call. `problem` is
   * a sentence for users that says what to do.
   */
  resolve(modelId: string): Promise<{ ok: true; model: LanguageModelV4 } | { ok: false; problem: string }>;
  /**
   * Asks every provider whether it is reachable and takes its key, at most 5 s each. An answer is given again for 30 s.
   * In the order of `providerNames`, then demo.
   */
  checkProviders(): Promise<readonly ProviderCheck[]>;
  /** The configured limits, for `streamModel`. */
  readonly limits: StreamLimits;
}

// Model ids come from users: without a bound, made-up ones would fill the memory.
const maxCachedModels = 256;

export interface ModelsOptions {
  /** Replaces the HTTP client of all providers. */
  fetch?: typeof globalThis.fetch;
  /** Tells how old the answer of a check is. */
  clock?: Clock;
  /** For each provider that is checked. */
  checkTimeoutMs?: number;
}

export function createModels(config: ModelsConfig, options: ModelsOptions = {}): Models {
  const echo = createEchoModel({ wordDelayMs: config.demoWordDelayMs });
  const makers = new Map<ProviderName, ReturnType<(typeof loadProvider)[ProviderName]>>();
  const models = new Map<string, LanguageModelV4>();

  let ownFetch: Promise<typeof globalThis.fetch> | undefined;
  const fetchOf = async () => {
    if (options.fetch !== undefined || config.useGlobalFetch) return options.fetch;
    // Its connections need no closing: idle ones do not hold the process.
    ownFetch ??= import("./http/fetch.ts").then(({ createFetch }) => createFetch().fetch);
    return ownFetch;
  };

  const makerOf = (name: ProviderName) => {
    const provider = config.providers[name];
    if (provider === undefined) return undefined;
    const maker =
      makers.get(name) ?? fetchOf().then((fetch) => loadProvider[name]({ provider, config, fetch }));
    makers.set(name, maker);
    return maker;
  };

  const checkProviders = createProviderChecks({
    config,
    fetch: async () => (await fetchOf()) ?? globalThis.fetch,
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
      if (make === undefined) return { ok: false, problem: notConfigured(parsed.id.provider) };
      // Looked up again: many calls may have waited for the package, and a model is costly to make.
      const model = models.get(modelId) ?? make(parsed.id.model);
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
  const configured = providerNames.flatMap((name) => {
    const provider = config.providers[name];
    if (provider === undefined) return [];
    const models = name === "aggregator" ? "aggregator/<vendor>/<model>" : `${name}/<model>`;
    return [{ name, models, ...(provider.baseUrl !== undefined && { baseUrl: provider.baseUrl }) }];
  });
  return [...configured, { name: "demo", models: "demo/echo" }];
}
