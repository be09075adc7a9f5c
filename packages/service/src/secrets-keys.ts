import { scryptSync } from "node:crypto";
import { ConfigError, type Environment, readEnvironment } from "./env.ts";
import { Secret } from "./secret.ts";

const variable = "MUSTER_SECRETS_KEY";
const keyBytes = 32;
const minPassphraseLength = 32;
const hex = /^[0-9a-fA-F]{64}$/;
const base64 = /^[0-9A-Za-z+/_-]{43}=?$/;

/**
 * `MUSTER_SECRETS_KEY`: the keys with which secrets are encrypted in the store, as 64 hexadecimal digits each. The first one
 * encrypts; the others only decrypt what they have encrypted. Empty: secrets cannot be stored.
 *
 * @throws ConfigError that repeats none of them.
 */
export function readSecretsKeys(env: Environment): Secret[] {
  const listed = readEnvironment(env).secret(variable)?.reveal();
  if (listed === undefined) return [];
  return listed.split(",").map((text) => parseSecretsKey(text.trim(), variable));
}

/** One key in any of its forms. `name`: its origin, for the error. */
export function parseSecretsKey(text: string, name: string): Secret {
  if (hex.test(text)) return new Secret(text.toLowerCase());
  if (base64.test(text)) return new Secret(Buffer.from(text, "base64").toString("hex"));
  if ([...text].length >= minPassphraseLength) return new Secret(stretch(text));
  throw new ConfigError(
    name,
    `must be 32 bytes as 64 hexadecimal digits or as base64 (for example from openssl rand -hex 32), or a passphrase of at least ${minPassphraseLength} characters; separate keys with commas`,
  );
}

// The salt is fixed, because every instance must derive the same key from the variable alone.
const stretching = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

function stretch(passphrase: string): string {
  return scryptSync(passphrase.normalize("NFC"), "muster-secrets-key", keyBytes, stretching).toString("hex");
}
