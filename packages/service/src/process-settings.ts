import { isIP } from "node:net";
import { ConfigError, type Environment, readEnvironment } from "./env.ts";
import { type LogLevel, logLevels } from "./log.ts";
import { Secret } from "./secret.ts";

// Settings shared by several services. Each service's `config.ts` reads them with these functions.

const ports = { min: 0, max: 65_535 };
const minSecretLength = 32;
const maxAgeSeconds = 86_400;

/** `LOG_LEVEL`. */
export function readLogLevel(env: Environment, fallback: LogLevel): LogLevel {
  return readEnvironment(env).oneOf("LOG_LEVEL", logLevels, fallback);
}

/** Settings that every service has. */
export interface ServiceSettings {
  /** Where to serve gRPC. If absent, the caller mounts the handlers itself. */
  listen?: ListenSettings;
  /** Shared by all services: the first one signs the principal of a call, and all of them are accepted. */
  principalSecrets: readonly Secret[];
}

export interface ListenSettings {
  host: string;
  port: number;
  /** The age from which a connection gets no more calls; 0 or absent means never. */
  maxConnectionAgeMs?: number;
}

/** `<PREFIX>_HOST`, `<PREFIX>_PORT`, `MAX_CONNECTION_AGE_SECONDS` and `MUSTER_PRINCIPAL_SECRET`. */
export function readServiceSettings(
  env: Environment,
  prefix: string,
  port: number,
): Required<ServiceSettings> {
  return { listen: readListen(env, prefix, port), principalSecrets: readPrincipalSecrets(env) };
}

/** `<PREFIX>_HOST` (all addresses unless set), `<PREFIX>_PORT` and `MAX_CONNECTION_AGE_SECONDS`. */
export function readListen(env: Environment, prefix: string, port: number): Required<ListenSettings> {
  const read = readEnvironment(env);
  return {
    host: read.string(`${prefix}_HOST`) ?? "0.0.0.0",
    port: read.integer(`${prefix}_PORT`, port, ports),
    maxConnectionAgeMs:
      read.integer("MAX_CONNECTION_AGE_SECONDS", 60, { min: 0, max: maxAgeSeconds }) * 1_000,
  };
}

/**
 * `MUSTER_PRINCIPAL_SECRET`: one secret, or several, separated by commas. The first one signs; all are accepted. Short
 * secrets are refused: anyone who guesses one can act as any principal.
 *
 * @throws ConfigError that repeats none of them.
 */
export function readPrincipalSecrets(env: Environment): Secret[] {
  const variable = "MUSTER_PRINCIPAL_SECRET";
  const secrets = readEnvironment(env)
    .required(variable, "0".repeat(minSecretLength))
    .split(",")
    .map((secret) => secret.trim());
  if (secrets.some((secret) => secret.length < minSecretLength)) {
    const subject =
      secrets.length > 1 ? "must have in each of its secrets, which commas separate," : "must have";
    throw new ConfigError(
      variable,
      `${subject} at least ${minSecretLength} characters (for example $(openssl rand -hex 32))`,
    );
  }
  return secrets.map((secret) => new Secret(secret));
}

/** Where a service keeps its data. */
export interface StoreSettings {
  uri: string;
  /** A service's database is named `<databasePrefix>_<service>`. */
  databasePrefix: string;
}

/** `MONGODB_URI` and `MUSTER_DATABASE_PREFIX`. */
export function readStoreSettings(env: Environment): StoreSettings {
  const uri = readEnvironment(env).required("MONGODB_URI", "mongodb://host");
  checkMongodbUri(uri);
  return { uri, databasePrefix: readDatabasePrefix(env) };
}

/** Throws ConfigError without repeating the text, which may contain a password. */
export function checkMongodbUri(uri: string): void {
  if (!/^mongodb(\+srv)?:\/\/\S+$/.test(uri)) {
    throw new ConfigError("MONGODB_URI", "must look like mongodb://host:27017/?replicaSet=name");
  }
}

/** `MUSTER_DATABASE_PREFIX`, part of each database's name. */
export function readDatabasePrefix(env: Environment): string {
  const prefix = readEnvironment(env).string("MUSTER_DATABASE_PREFIX") ?? "muster";
  if (!/^[A-Za-z0-9_-]{1,38}$/.test(prefix)) {
    throw new ConfigError("MUSTER_DATABASE_PREFIX", "must be 1 to 38 letters, digits, - or _");
  }
  return prefix;
}

/** `NATS_URL`: one address or several, separated by commas. */
export function readBusUrl(env: Environment): string {
  const url = readEnvironment(env).required("NATS_URL", "nats://host");
  checkBusUrl(url);
  return url;
}

/** Throws ConfigError without repeating the text, which may contain a password. */
export function checkBusUrl(url: string): void {
  if (!url.split(",").every((part) => /^(nats|tls):\/\/[^\s/]+\/?$/.test(part.trim()))) {
    throw new ConfigError("NATS_URL", "must look like nats://host:4222 or tls://host:4222");
  }
}

/**
 * Addresses of a service's instances: `host:port`, or one target such as `dns:///name:port`. Several, separated by commas,
 * must be IP addresses: for names, one has to resolve to every instance.
 */
export function readAddresses(env: Environment, variable: string): string[] {
  const addresses = readEnvironment(env)
    .required(variable, "host:1")
    .split(",")
    .map((address) => address.trim());
  for (const address of addresses) {
    if (!/^(dns:(\/\/\/)?|[a-z0-9]+:)?[^\s/]+:\d+$/.test(address) && !/^unix:\S+$/.test(address)) {
      throw new ConfigError(
        variable,
        `must be host:port or dns:///name:port, not ${JSON.stringify(address)}; separate several IP addresses by commas`,
      );
    }
    const port = Number(/:(\d+)$/.exec(address)?.[1] ?? ports.max);
    if (port === 0 || port > ports.max)
      throw new ConfigError(
        variable,
        `must have ports from 1 to ${ports.max}, not ${JSON.stringify(address)}`,
      );
  }
  const families = new Set(addresses.map(familyOf));
  if (addresses.length > 1 && (families.size > 1 || families.has(0))) {
    throw new ConfigError(
      variable,
      "must be one name that resolves to every instance, or IP addresses that are all IPv4 or all IPv6",
    );
  }
  return addresses;
}

/** 4 or 6; 0 for a name. */
function familyOf(address: string): number {
  return isIP(address.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1"));
}

/** `DRAIN_SECONDS`, in milliseconds: how long open streams may continue during a stop. */
export function readDrainMs(env: Environment): number {
  return readEnvironment(env).integer("DRAIN_SECONDS", 10, { min: 0, max: 300 }) * 1_000;
}

/** `BANDWIDTH_FEE_PER_1M`: the platform's own fee in US dollars for a million tokens. Kept as text, because money is not a float. */
export function readBandwidthFee(env: Environment): string {
  const fee = readEnvironment(env).string("BANDWIDTH_FEE_PER_1M") ?? "0";
  if (!/^\d{1,9}(\.\d{1,12})?$/.test(fee)) {
    throw new ConfigError("BANDWIDTH_FEE_PER_1M", "must be a decimal number of US dollars, such as 0.05");
  }
  return fee;
}
