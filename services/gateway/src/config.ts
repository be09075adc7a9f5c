import { type MetricsSettings, readMetricsSettings } from "@muster/metrics";
import {
  ConfigError,
  type Environment,
  readAddresses,
  readBandwidthFee,
  readBusUrl,
  readDrainMs,
  readEnvironment,
  readPrincipalSecrets,
  type Secret,
} from "@muster/service";
import {
  defaultFileRules,
  type FilesSettings,
  readFileRules,
  readFilesSettings,
} from "@muster/storage/files";
import { isOrigin } from "./auth/access.ts";
import { type OidcSettings, readOidcSettings } from "./auth/read-oidc-settings.ts";
import { isNetwork } from "./edge/http/client-ip.ts";

export const gatewayDefaults = {
  /** Where to listen; port 0 picks a free one. */
  host: "127.0.0.1",
  port: 8080,
  /** How long authentication and the call to a service may take together, except streams. */
  callTimeoutMs: 15_000,
  /** Requests beyond this are refused with a delay. A stream counts until its first event. */
  maxRequestsInProgress: 1_000,
  /** Requests are refused while the event loop is later than this; 0 for no bound. */
  maxEventLoopDelayMs: 1_000,
  /** How long an authenticated credential is cached. Less than the 5 s in which a revocation without an event must work. */
  authCacheMs: 4_000,
  /**
   * How long a gateway that stops keeps accepting requests while `/readyz` is 503, so that load balancers stop sending
   * them before it refuses any.
   */
  shutdownDelayMs: 0,
  /** How long open streams may continue after that. */
  drainMs: 10_000,
  streams: { heartbeatMs: 15_000, drainTimeoutMs: 60_000, firstEventTimeoutMs: 60_000, recheckMs: 4_000 },
  /** How often a client may list the models in a minute; 0 for no limit. */
  modelsRateLimitPerMinute: 60,
  /** How many wrong credentials a client may send in a minute; 0 for no limit. */
  authFailuresPerMinute: 60,
  rateLimits: { perAddress: 0, perCredential: 0, perProject: 0 },
  /** No other gateway serves the same installation, so nothing needs to be counted together. */
  isOnlyGateway: false,
  /** Networks whose X-Forwarded headers are trusted, in CIDR notation. */
  trustedProxies: [] as readonly string[],
  /** Origins whose pages may use the session, file and execution endpoints. */
  corsOrigins: [] as readonly string[],
  fileRules: defaultFileRules,
  /** The platform's fee in US dollars per million tokens, a decimal number. */
  bandwidthPer1M: "0",
};

export type GatewayConfig = typeof gatewayDefaults & {
  /** The address under which clients reach the gateway, without a final slash. Absent: that of each request. */
  publicUrl?: string;
  /** Where uploaded files lie. Absent: there are none. */
  files?: FilesSettings;
  /** The identity provider of the console. Absent: users log in with API keys only. */
  oidc?: OidcSettings;
};

/** Settings of the standalone process, which also needs the addresses of the services and the bus. */
export interface GatewayProcessConfig extends GatewayConfig {
  principalSecrets: readonly Secret[];
  natsUrl: string;
  /** Undefined: nothing is measured. */
  metrics: MetricsSettings | undefined;
  /** Addresses of each service's instances, as `host:port` or a resolvable target. */
  addresses: { auth: string[]; agents: string[]; sessions: string[]; workforce: string[] };
}

/** Throws ConfigError with the name of a missing or invalid variable. */
export function readGatewayConfig(env: Environment): GatewayProcessConfig {
  const read = readEnvironment(env);
  const files = readFilesSettings(env);
  const host = read.string("HOST") ?? "0.0.0.0";
  const port = read.integer("PORT", gatewayDefaults.port, { min: 0, max: 65_535 });
  return {
    ...gatewayDefaults,
    ...(files && { files }),
    fileRules: readFileRules(env),
    ...{ host, port },
    metrics: readMetricsSettings(env, { host, port, setting: "PORT" }),
    principalSecrets: readPrincipalSecrets(env),
    natsUrl: readBusUrl(env),
    shutdownDelayMs: read.integer("SHUTDOWN_DELAY_SECONDS", 5, { min: 0, max: 300 }) * 1_000,
    drainMs: readDrainMs(env),
    ...readEdgeSettings(env),
    addresses: {
      auth: readAddresses(env, "AUTH_ADDRESSES"),
      agents: readAddresses(env, "AGENTS_ADDRESSES"),
      sessions: readAddresses(env, "SESSIONS_ADDRESSES"),
      workforce: readAddresses(env, "WORKFORCE_ADDRESSES"),
    },
  };
}

/** Settings of every process that serves the HTTP interface. */
export type EdgeSettings = ReturnType<typeof readEdgeSettings>;

/** Throws ConfigError with the name of an invalid variable. */
export function readEdgeSettings(env: Environment) {
  const read = readEnvironment(env);
  const { maxRequestsInProgress, modelsRateLimitPerMinute, authFailuresPerMinute } = gatewayDefaults;
  const range = { min: 0, max: 1_000_000 };
  const publicUrl = readPublicUrl(env);
  const oidc = readOidcSettings(env);
  return {
    ...(oidc && { oidc }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    maxRequestsInProgress: read.integer("MAX_REQUESTS_IN_PROGRESS", maxRequestsInProgress, {
      ...range,
      min: 1,
    }),
    maxEventLoopDelayMs: read.integer("MAX_EVENT_LOOP_DELAY_MS", gatewayDefaults.maxEventLoopDelayMs, {
      min: 0,
      max: 60_000,
    }),
    modelsRateLimitPerMinute: read.integer("MODELS_RATE_LIMIT_PER_MINUTE", modelsRateLimitPerMinute, range),
    authFailuresPerMinute: read.integer("AUTH_FAILURES_PER_MINUTE", authFailuresPerMinute, range),
    rateLimits: {
      perAddress: read.integer("ADDRESS_RATE_LIMIT_PER_MINUTE", 0, range),
      perCredential: read.integer("KEY_RATE_LIMIT_PER_MINUTE", 0, range),
      perProject: read.integer("PROJECT_RATE_LIMIT_PER_MINUTE", 0, range),
    },
    trustedProxies: readTrustedProxies(env),
    corsOrigins: readCorsOrigins(env),
    bandwidthPer1M: readBandwidthFee(env),
  };
}

function readTrustedProxies(env: Environment): string[] {
  const list = readEnvironment(env).string("TRUSTED_PROXIES");
  const networks = list?.split(",").map((network) => network.trim()) ?? [];
  for (const network of networks) {
    if (isNetwork(network)) continue;
    const problem = `must be networks such as 10.0.0.0/8, separated by commas, not ${JSON.stringify(network)}`;
    throw new ConfigError("TRUSTED_PROXIES", problem);
  }
  return networks;
}

function readCorsOrigins(env: Environment): string[] {
  const list = readEnvironment(env).string("CORS_ORIGINS");
  const origins = list?.split(",").map((origin) => origin.trim()) ?? [];
  for (const origin of origins) {
    if (isOrigin(origin)) continue;
    const problem = `must be origins such as https://app.example.com, separated by commas, without a path or *, not ${JSON.stringify(origin)}`;
    throw new ConfigError("CORS_ORIGINS", problem);
  }
  return origins;
}

function readPublicUrl(env: Environment): string | undefined {
  const text = readEnvironment(env).string("PUBLIC_URL");
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "") {
    return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  }
  const problem = `must be an address such as https://muster.example.com, not ${JSON.stringify(text)}`;
  throw new ConfigError("PUBLIC_URL", problem);
}
