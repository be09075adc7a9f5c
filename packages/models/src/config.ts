import { ConfigError, type Environment, readEnvironment } from "@muster/service";
import { defaultStreamLimits, type StreamLimits } from "./default-stream-limits.ts";
import { defaultResponseBounds, type ResponseBounds } from "./http/body-gate.ts";
import type { ProviderConfig, ProviderDefinition } from "./provider-definition.ts";
import { type ProviderName, providers } from "./providers/index.ts";

export interface ModelsConfig {
  /** The configured providers only. */
  providers: Partial<Record<ProviderName, ProviderConfig>>;
  limits: StreamLimits;
  bounds: ResponseBounds;
  /** Use Node's own `fetch`, which goes through the proxy that the environment names. */
  useGlobalFetch: boolean;
  /** Pause between two words of `demo/echo`, so that streaming can be seen. */
  demoWordDelayMs: number;
}

/**
 * Reads `<PREFIX>_API_KEY` and `<PREFIX>_BASE_URL` of every provider, the variable that selects its interface if it
 * has more than one, `MODEL_FIRST_PART_TIMEOUT_MS`, `MODEL_STALL_TIMEOUT_MS`, `MODEL_MAX_EVENT_BYTES`,
 * `MODEL_MAX_RESPONSE_BYTES`, `MODEL_MAX_BYTES_PER_SECOND`, `DEMO_WORD_DELAY_MS`, and Node's `NODE_USE_ENV_PROXY`.
 *
 * @throws ConfigError naming the variable that is wrong.
 */
export function readModelsConfig(env: Environment): ModelsConfig {
  const read = readEnvironment(env);
  const limit = { min: 1, max: 3_600_000 };
  const configured: ModelsConfig["providers"] = {};
  for (const definition of providers) {
    const config = readProvider(definition, env);
    if (config !== undefined) configured[definition.name] = config;
  }
  return {
    providers: configured,
    limits: {
      firstPartTimeoutMs: read.integer(
        "MODEL_FIRST_PART_TIMEOUT_MS",
        defaultStreamLimits.firstPartTimeoutMs,
        limit,
      ),
      stallTimeoutMs: read.integer("MODEL_STALL_TIMEOUT_MS", defaultStreamLimits.stallTimeoutMs, limit),
    },
    bounds: readBounds(env),
    useGlobalFetch: read.boolean("NODE_USE_ENV_PROXY", false),
    demoWordDelayMs: read.integer("DEMO_WORD_DELAY_MS", 10, { min: 0, max: 10_000 }),
  };
}

function readBounds(env: Environment): ResponseBounds {
  const bytes = (variable: string, fallback: number) =>
    readEnvironment(env).integer(variable, fallback, { min: 64 * 1024, max: 1024 ** 3 });
  return {
    maxEventBytes: bytes("MODEL_MAX_EVENT_BYTES", defaultResponseBounds.maxEventBytes),
    maxResponseBytes: bytes("MODEL_MAX_RESPONSE_BYTES", defaultResponseBounds.maxResponseBytes),
    maxBytesPerSecond: bytes("MODEL_MAX_BYTES_PER_SECOND", defaultResponseBounds.maxBytesPerSecond),
  };
}

function readProvider(
  { variablePrefix, defaultBaseUrl, interfaces }: ProviderDefinition,
  env: Environment,
): ProviderConfig | undefined {
  const read = readEnvironment(env);
  const apiKey = read.secret(`${variablePrefix}_API_KEY`);
  const baseUrl = readBaseUrl(`${variablePrefix}_BASE_URL`, env);
  // Read even if the provider is not configured, so that a wrong value is always reported.
  const chosen =
    interfaces && read.oneOf(interfaces.variable, interfaces.names, interfaces.defaultFor(baseUrl));
  const hasAddress = baseUrl !== undefined || (apiKey !== undefined && defaultBaseUrl !== undefined);
  if (!hasAddress) return undefined;
  return { ...(apiKey && { apiKey }), ...(baseUrl && { baseUrl }), ...(chosen && { interface: chosen }) };
}

function readBaseUrl(variable: string, env: Environment): string | undefined {
  const url = readEnvironment(env).url(variable);
  if (url === undefined) return undefined;
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new ConfigError(variable, "must start with http:// or https://");
  if (url.username || url.password)
    throw new ConfigError(variable, "must not contain a user name or password");
  if (url.search || url.hash) throw new ConfigError(variable, "must not contain a query or fragment");
  return url.href.replace(/\/+$/, "");
}
