import type { Clock, Secret } from "@muster/service";
import type { ModelsConfig } from "../config.ts";
import {
  configWith,
  isKey,
  noProjectKeys,
  notConfigured,
  type ProjectKeys,
  type ProviderConfig,
  type ProviderDefinition,
} from "../provider-definition.ts";
import { type ProviderName, providers } from "../providers/index.ts";
import { ask } from "./ask.ts";
import { judge } from "./judge.ts";
import type { ProviderCheck } from "./provider-check.ts";
import { questionFor } from "./question-for.ts";

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
 * Asks all providers at the same time, once each. Results are cached for 30 s, and concurrent callers share one check,
 * so that a caller in a loop costs the providers nothing. A project's own key is checked instead of the platform's.
 */
export function createProviderChecks(
  options: ProviderChecksOptions,
): (projectKeys?: ProjectKeys) => Promise<readonly ProviderCheck[]> {
  const { clock, config } = options;
  const byKey = new WeakMap<Secret, () => Promise<ProviderCheck>>();
  const ofPlatform = kept(clock, () => checkAll(options));
  const ofKey = (definition: Definition, key: Secret): Promise<ProviderCheck> => {
    const provider = configWith(definition, config.providers[definition.name], key);
    const check =
      byKey.get(key) ??
      kept(clock, async () => checkOne(definition, provider, options, await options.fetch(), true));
    byKey.set(key, check);
    return check();
  };
  const ofProject = async (
    definition: Definition,
    key: Secret | { problem: string },
  ): Promise<ProviderCheck> => {
    if (isKey(key)) return { ...(await ofKey(definition, key)), usesProjectKey: true };
    return { name: definition.name, status: "key_refused", message: key.problem, usesProjectKey: true };
  };
  return async (projectKeys = noProjectKeys) => {
    if (projectKeys.size === 0) return ofPlatform();
    const own = providers.flatMap((definition) => {
      const key = projectKeys.get(definition.name);
      return key === undefined ? [] : [ofProject(definition, key)];
    });
    const [platform, ...project] = await Promise.all([ofPlatform(), ...own]);
    return platform.map((check) => project.find(({ name }) => name === check.name) ?? check);
  };
}

type Definition = ProviderDefinition<ProviderName>;

/** The latest answer for 30 s; concurrent callers share one question. */
function kept<T>(clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  let latest: { answer: T; atMs: number } | undefined;
  let asking: Promise<T> | undefined;
  const askNow = async () => {
    try {
      const answer = await ask();
      latest = { answer, atMs: clock.monotonicMs() };
      return answer;
    } finally {
      asking = undefined;
    }
  };
  return async () => {
    if (latest !== undefined && clock.monotonicMs() - latest.atMs < keptMs) return latest.answer;
    asking ??= askNow();
    return asking;
  };
}

async function checkAll(options: ProviderChecksOptions): Promise<readonly ProviderCheck[]> {
  const fetch = await options.fetch();
  const checks = providers.map((definition) =>
    checkOne(definition, options.config.providers[definition.name], options, fetch),
  );
  return [...(await Promise.all(checks)), { name: "demo", status: "ok" }];
}

async function checkOne(
  definition: Definition,
  config: ProviderConfig | undefined,
  { clock, timeoutMs }: ProviderChecksOptions,
  fetch: typeof globalThis.fetch,
  isProjects = false,
): Promise<ProviderCheck> {
  const { name } = definition;
  if (config === undefined) return { name, status: "not_configured", message: notConfigured(definition) };
  const answer = await ask(questionFor(definition, config), fetch, timeoutMs);
  return { name, ...judge({ definition, config, isProjects }, answer), checkedAtMs: clock.now() };
}
