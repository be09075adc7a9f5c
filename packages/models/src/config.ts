import { ConfigError, type Environment, readEnvironment, type Secret } from "@muster/service";
import { type ProviderName, providerNames } from "./model-id.ts";
import { defaultStreamLimits, type StreamLimits } from "./stream-limits.ts";

/** How one provider is reached. At least one of the two is set. */
export interface ProviderConfig {
  apiKey?: Secret;
  /** Without a trailing slash. May point anywhere the operator wants, loopback included. */
  baseUrl?: string;
}

/** Which of OpenAI's two interfaces `openai/…` speaks. */
export type OpenAiInterface = "responses" | "chat";

export interface ModelsConfig {
  providers: Partial<Record<ProviderName, ProviderConfig>>;
  openAiInterface: OpenAiInterface;
  limits: StreamLimits;
  /** Use Node's own `fetch`, which goes through the proxy that the environment names. */
  useGlobalFetch: boolean;
  /** Pause between two words of `demo/echo`, so that streaming can be seen. */
  demoWordDelayMs: number;
}

/** First part of the environment variables of each provider. */
export const variablePrefixes: Record<ProviderName, string> = {
  anthropic: "ANTHROPIC",
  openai: "OPENAI",
  google: "GOOGLE",
  xai: "XAI",
  aggregator: "OPENROUTER",
  local: "LOCAL",
};

/**
 * Reads `<PREFIX>_API_KEY` and `<PREFIX>_BASE_URL` of every provider, `OPENAI_API` (`responses` or `chat`),
 * `MODEL_FIRST_PART_TIMEOUT_MS`, `MODEL_STALL_TIMEOUT_MS`, `DEMO_WORD_DELAY_MS`, and Node's `NODE_USE_ENV_PROXY`.
 *
 * @throws ConfigError naming the variable that is wrong.
 */
export function readModelsConfig(env: Environment): ModelsConfig {
  const read = readEnvironment(env);
  const limit = { min: 1, max: 3_600_000 };
  const providers: ModelsConfig["providers"] = {};
  for (const name of providerNames) {
    const provider = readProvider(name, env);
    if (provider !== undefined) providers[name] = provider;
  }
  return {
    providers,
    openAiInterface: read.oneOf(
      "OPENAI_API",
      ["responses", "chat"],
      openAiInterfaceOf(providers.openai?.baseUrl),
    ),
    limits: {
      firstPartTimeoutMs: read.integer(
        "MODEL_FIRST_PART_TIMEOUT_MS",
        defaultStreamLimits.firstPartTimeoutMs,
        limit,
      ),
      stallTimeoutMs: read.integer("MODEL_STALL_TIMEOUT_MS", defaultStreamLimits.stallTimeoutMs, limit),
    },
    useGlobalFetch: read.boolean("NODE_USE_ENV_PROXY", false),
    demoWordDelayMs: read.integer("DEMO_WORD_DELAY_MS", 10, { min: 0, max: 10_000 }),
  };
}

function readProvider(name: ProviderName, env: Environment): ProviderConfig | undefined {
  const read = readEnvironment(env);
  const apiKey = read.secret(`${variablePrefixes[name]}_API_KEY`);
  const baseUrl = readBaseUrl(`${variablePrefixes[name]}_BASE_URL`, env);
  // A key alone says nothing about where a local server is.
  if (name === "local" ? baseUrl === undefined : apiKey === undefined && baseUrl === undefined)
    return undefined;
  return { ...(apiKey && { apiKey }), ...(baseUrl && { baseUrl }) };
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

// Servers that imitate OpenAI almost always imitate chat completions; few offer the responses interface.
function openAiInterfaceOf(baseUrl: string | undefined): OpenAiInterface {
  return baseUrl === undefined || new URL(baseUrl).hostname === "api.openai.com" ? "responses" : "chat";
}
