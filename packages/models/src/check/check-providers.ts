import type { Clock } from "@muster/service";
import type { ModelsConfig } from "../config.ts";
import { type ProviderName, providerNames } from "../model-id.ts";
import { notConfigured } from "../not-configured.ts";
import { ask } from "./ask.ts";
import { judge } from "./judge.ts";
import type { ProviderCheck } from "./provider-check.ts";
import { questionFor } from "./questions.ts";

/** For how long an answer is given again, in milliseconds. */
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
 * Asks all providers at once, each one time. All who ask within 30 s of an answer, or while the providers are being
 * asked, get the same one: whoever asks in a loop costs the providers nothing.
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
  const checks = await Promise.all(providerNames.map((name) => checkOne(name, options, fetch)));
  return [...checks, { name: "demo", status: "ok" }];
}

async function checkOne(
  name: ProviderName,
  { config, clock, timeoutMs }: ProviderChecksOptions,
  fetch: typeof globalThis.fetch,
): Promise<ProviderCheck> {
  const provider = config.providers[name];
  if (provider === undefined) return { name, status: "not_configured", message: notConfigured(name) };
  const answer = await ask(questionFor(name, provider), fetch, timeoutMs);
  return { name, ...judge({ name, provider }, answer), checkedAtMs: clock.now() };
}
