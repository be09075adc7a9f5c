import type { Command } from "commander";
import { usageError } from "../../exit.ts";
import type { Options } from "../../options.ts";
import type { Io } from "../../process-io.ts";
import { readSecret, variableOf } from "../../read-secret.ts";
import { secondsOf } from "../../seconds.ts";

/** The field of the secret, by type. */
const secretFields = new Map([
  ["bearer", "token"],
  ["header", "value"],
  ["client-credentials", "clientSecret"],
  ["private-key-jwt", "privateKey"],
]);

/** The options of a server that is added or changed. */
export function addServerOptions(command: Command): Command {
  return command
    .option("--auth <type>", "none (the default), bearer, header, client-credentials or private-key-jwt")
    .option("--secret-env <variable>", "Environment variable of the secret (default: standard input)")
    .option("--auth-header <name>", "With header: the name of the header")
    .option("--client-id <id>", "With client-credentials and private-key-jwt: the client id")
    .option("--issuer <url>", "The only authorization server (default: the one that the server names)")
    .option("--scope <scopes>", "Scopes to request, joined by spaces")
    .option(
      "--algorithm <name>",
      "With private-key-jwt: the signature algorithm (default: the usual one for the key)",
    )
    .option("--header-env <name=variable...>", "More headers, with the environment variables of their values")
    .option("--tool <pattern...>", "The only tools that agents may use, by name or pattern (default: all)")
    .option("--idle-timeout <duration>", "How long a call may go without progress (default: 60s)")
    .option("--timeout <duration>", "How long a call may take (default: 10m)");
}

/** Those that are given; without `--auth`, the credentials are undefined. */
export async function serverFieldsOf(io: Io, options: Options) {
  const millisecondsOf = (name: string, duration: string | undefined) => {
    const seconds = secondsOf(name, duration);
    return seconds === undefined ? undefined : seconds * 1_000;
  };
  const tools = options.texts("tool");
  return {
    auth: await authOf(io, options),
    headers: headersOf(io, options.texts("headerEnv")),
    idleTimeoutMs: millisecondsOf("idle-timeout", options.text("idleTimeout")),
    timeoutMs: millisecondsOf("timeout", options.text("timeout")),
    tools: tools.length === 0 ? undefined : tools,
  };
}

async function authOf(io: Io, options: Options) {
  const type = options.text("auth");
  const field = secretFields.get(type ?? "none");
  if (field === undefined && type !== undefined && type !== "none")
    throw usageError(`--auth must be one of none, ${[...secretFields.keys()].join(", ")}.`);
  const variable = options.text("secretEnv");
  if (field === undefined && variable !== undefined)
    throw usageError("--secret-env needs --auth, which says what the secret is for.");
  if (type === undefined) return undefined;
  const fields = {
    type,
    name: options.text("authHeader"),
    clientId: options.text("clientId"),
    issuer: options.text("issuer"),
    scope: options.text("scope"),
    algorithm: options.text("algorithm"),
  };
  if (field === undefined) return fields;
  const secret = variable === undefined ? await readSecret(io, field) : variableOf(io, variable);
  return { ...fields, [field]: secret };
}

function headersOf(io: Io, given: readonly string[]): Record<string, string> | undefined {
  if (given.length === 0) return undefined;
  return Object.fromEntries(
    given.map((text) => {
      const [, name = "", variable = ""] = /^([^=]+)=(.+)$/.exec(text) ?? [];
      if (name !== "") return [name, variableOf(io, variable)];
      throw usageError("--header-env must be NAME=VARIABLE, such as X-Tenant=TRACKER_TENANT.");
    }),
  );
}
