import { isPermission, type Permission, permissions } from "@muster/rpc";
import { ConfigError, type Environment, readEnvironment, type Secret } from "@muster/service";

/** Permissions in one project for users with a claim. */
export interface OidcGrant {
  readonly claim: string;
  /** `contains`: an element of a claim that is a list. */
  readonly test: "equals" | "contains";
  readonly value: string;
  readonly projectId: string;
  readonly permissions: readonly Permission[];
}

/** The identity provider with which users log in to the console. */
export interface OidcSettings {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly scopes: string;
  readonly grants: readonly OidcGrant[];
}

/** `CONSOLE_OIDC_…`. Undefined without an issuer. Throws ConfigError. */
export function readOidcSettings(env: Environment): OidcSettings | undefined {
  const read = readEnvironment(env);
  const text = read.string("CONSOLE_OIDC_ISSUER");
  const clientId = read.string("CONSOLE_OIDC_CLIENT_ID");
  const clientSecret = read.secret("CONSOLE_OIDC_CLIENT_SECRET");
  const scopes = read.string("CONSOLE_OIDC_SCOPES") ?? "openid email profile";
  const list = read.string("CONSOLE_OIDC_GRANTS");
  if (text === undefined) return undefined;
  const issuer = URL.parse(text);
  if (issuer === null || !/^https?:$/.test(issuer.protocol) || issuer.search !== "" || issuer.hash !== "")
    throw new ConfigError(
      "CONSOLE_OIDC_ISSUER",
      `must be the issuer's address, such as https://login.example.com/realms/main, not ${JSON.stringify(text)}`,
    );
  if (clientId === undefined) throw missing("CONSOLE_OIDC_CLIENT_ID");
  if (/\s/.test(clientId)) throw new ConfigError("CONSOLE_OIDC_CLIENT_ID", "must not contain spaces");
  if (clientSecret === undefined) throw missing("CONSOLE_OIDC_CLIENT_SECRET");
  if (list === undefined) throw missing("CONSOLE_OIDC_GRANTS");
  if (!scopes.split(" ").includes("openid"))
    throw new ConfigError("CONSOLE_OIDC_SCOPES", "must be scopes separated by spaces, including openid");
  return { issuer, clientId, clientSecret, scopes, grants: readGrants(list) };
}

function missing(variable: string): ConfigError {
  return new ConfigError(variable, "must be set, because CONSOLE_OIDC_ISSUER is");
}

function readGrants(text: string): OidcGrant[] {
  const entries = parsed(text);
  if (!Array.isArray(entries) || entries.length === 0) throw wrong("must be a JSON list of grants");
  return entries.map(readGrant);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrong("must be JSON");
  }
}

function readGrant(entry: unknown, index: number): OidcGrant {
  const fields = new Map<string, unknown>(
    typeof entry === "object" && entry !== null ? Object.entries(entry) : [],
  );
  const known = ["claim", "equals", "contains", "projectId", "permissions"];
  const other = [...fields.keys()].find((name) => !known.includes(name));
  if (other !== undefined) throw wrong(`[${index}] has an unknown field ${JSON.stringify(other)}`);
  if (fields.has("equals") === fields.has("contains"))
    throw wrong(`[${index}] must have either equals or contains`);
  const test = fields.has("equals") ? "equals" : "contains";
  const textOf = (name: string) => {
    const value = fields.get(name);
    if (typeof value === "string" && value !== "") return value;
    throw wrong(`[${index}].${name} must be a text`);
  };
  const names: unknown = fields.get("permissions");
  const granted = Array.isArray(names) ? names.filter((name) => isPermission(String(name))) : [];
  if (!Array.isArray(names) || names.length === 0 || granted.length < names.length)
    throw wrong(`[${index}].permissions must be a list of ${permissions.join(", ")}`);
  return {
    claim: textOf("claim"),
    ...{ test, value: textOf(test), projectId: textOf("projectId") },
    permissions: granted,
  };
}

function wrong(problem: string): ConfigError {
  return new ConfigError("CONSOLE_OIDC_GRANTS", problem);
}
