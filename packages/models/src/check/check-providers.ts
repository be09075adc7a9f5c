import type { Clock } from "@muster/service";
import type { ModelsConfig } from "../config.ts";
import { notConfigured } from "../not-configured.ts";
import type { ProviderDefinition } from "../provider-definition.ts";
import { type ProviderName, providers } from "../providers/index.ts";
import { ask } from "./ask.ts";
import { judge } from "./judge.ts";
import type { ProviderCheck } from "./provider-check.ts";
import { questionFor } from "./questions.ts";

/** How long results are cached, in milliseconds. */
const keptMs = 30_000;
export const defaultCheckTimeoutMs = 5_000;

export interface ProviderChecksOptions {
  config: ModelsConfig;
  /** The HTTP client of the model calls. */
  fetch: () => Promise<typeof globalThis.fetch>;
  clock: Clock;
  /** For each provider. */
  timeoutMs: number;
}

/**
 * Asks all providers at the same time, once each. Results are cached for 30 s, and concurrent callers share one check, so
 * that a caller in a loop costs the providers nothing.
 */
export function createProviderChecks(
  options: ProviderChecksOptions,
): () => Promise<readonly ProviderCheck[]> {
  const { clock } = options;
  let latest: { checks: readonly ProviderCheck[]; atMs: number } | undefined;
  let asking: Promise<readonly ProviderCheck[]> | undefined;

  const askAll = async () => {
    try {
      const checks = await checkAll(options);
      latest = { checks, atMs: clock.now() };
      return checks;
    } finally {
      asking = undefined;
    }
  };

  return async () => {
    if (latest !== undefined && Math.abs(clock.now() - latest.atMs) < keptMs) return latest.checks;
    asking ??= askAll();
    return asking;
  };
}

async function checkAll(options: ProviderChecksOptions): Promise<readonly ProviderCheck[]> {
  const fetch = await options.fetch();
  const checks = await Promise.all(providers.map((definition) => checkOne(definition, options, fetch)));
  return [...checks, { name: "demo", status: "ok" }];
}

async function checkOne(
  definition: ProviderDefinition<ProviderName>,
  { config: { providers: configured }, clock, timeoutMs }: ProviderChecksOptions,
  fetch: typeof globalThis.fetch,
): Promise<ProviderCheck> {
  const { name } = definition;
  const config = configured[name];
  if (config === undefined) return { name, status: "not_configured", message: notConfigured(definition) };
  const answer = await ask(questionFor(definition, config), fetch, timeoutMs);
  return { name, ...judge({ definition, config }, answer), checkedAtMs: clock.now() };
}
