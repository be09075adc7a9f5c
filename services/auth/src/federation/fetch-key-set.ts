import { type FetchOptions, type GuardedFetch, parseUrl } from "@muster/guarded-fetch";
import type { createLocalJWKSet, JWK } from "jose";
import { keySetLimits, maxKidLength } from "./limits.ts";
import { loadJose } from "./load-jose.ts";

/** Where the keys of an issuer are. */
export interface KeySource {
  issuer: string;
  /** Absent: the discovery document of the issuer says where. */
  jwksUri?: string;
}

/** The usable keys of an issuer. */
export interface KeySet {
  kids: ReadonlySet<string>;
  getKey: ReturnType<typeof createLocalJWKSet>;
}

const { maxBytes, timeoutMs, redirects, maxKeys } = keySetLimits;
const limits: FetchOptions = { maxBytes, timeoutMs, redirects, headers: { accept: "application/json" } };

/** Rejects with the reason for which there are no keys. */
export async function fetchKeySet(
  fetch: GuardedFetch,
  { issuer, jwksUri }: KeySource,
  signal: AbortSignal,
): Promise<KeySet> {
  const uri = jwksUri ?? (await discover(fetch, issuer, signal));
  return keySetOf(await fetchDocument(fetch, uri, signal));
}

/** OpenID Connect Discovery 1.0, section 4. */
async function discover(fetch: GuardedFetch, issuer: string, signal: AbortSignal): Promise<string> {
  const document = await fetchDocument(fetch, discoveryUrl(issuer), signal);
  const { issuer: named, jwks_uri: uri } = document;
  // Otherwise one issuer could answer for another.
  if (named !== issuer) throw new Error("The discovery document is of another issuer");
  if (typeof uri !== "string") throw new Error("The discovery document names no jwks_uri");
  return uri;
}

function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
}

async function fetchDocument(
  fetch: GuardedFetch,
  url: string,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const response = await fetch(parseUrl(url), limits, signal);
  if (response.status !== 200) {
    response.body.destroy();
    throw new Error(`The issuer answered with status ${response.status}`);
  }
  const document = await response.json();
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw new Error("The document is not a JSON object");
  }
  return { ...document };
}

/** Rejects a document that is not a JWK set, or has too many keys. Keys that are not usable are left out. */
export async function keySetOf({ keys }: Record<string, unknown>): Promise<KeySet> {
  if (!Array.isArray(keys)) throw new Error("The document is not a JWK set");
  if (keys.length > maxKeys) throw new Error(`The JWK set has more than ${maxKeys} keys`);
  const usable = keys.map(usableKey).filter((key) => key !== undefined);
  const { createLocalJWKSet } = await loadJose();
  return { kids: new Set(usable.map(({ kid }) => kid)), getKey: createLocalJWKSet({ keys: usable }) };
}

const textFields = ["kty", "kid", "use", "alg", "crv", "n", "e", "x", "y"] as const;
/** Verifying with a larger key would take too long: 8,192 bits, and an exponent of 32. */
const maxModulusLength = 1_366;
const maxExponentLength = 6;
const maxFieldLength = 2_000;

/** A public key for signatures, with nothing but the fields that this needs. Undefined for any other. */
function usableKey(key: unknown): (JWK & { kty: string; kid: string }) | undefined {
  if (typeof key !== "object" || key === null || "d" in key) return undefined;
  const known = new Map(Object.entries(key));
  const fields: Record<string, string> = {};
  for (const name of textFields) {
    const value: unknown = known.get(name);
    if (value === undefined) continue;
    if (typeof value !== "string" || value.length > maxFieldLength) return undefined;
    fields[name] = value;
  }
  const { kty = "", kid = "", use = "sig", n = "", e = "" } = fields;
  if (!["RSA", "EC", "OKP"].includes(kty) || use !== "sig") return undefined;
  if (kid === "" || kid.length > maxKidLength) return undefined;
  if (n.length > maxModulusLength || e.length > maxExponentLength) return undefined;
  return { ...fields, kty, kid };
}
