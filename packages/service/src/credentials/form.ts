import { hash, timingSafeEqual } from "node:crypto";
import { checksumLength, checksumOf } from "./checksum.ts";

/** `key`: any agent of a project. `agent-key`: one agent. `computer-token`: connects one computer. `token`: an ephemeral token. `login`: of a key in a browser. */
export type CredentialKind = "key" | "agent-key" | "computer-token" | "token" | "login";
/** `jwt`: a signed token of an identity provider, which only looks like one so far. */
export type CredentialForm = CredentialKind | "jwt";

const prefixes = {
  key: "svc_sk_",
  "agent-key": "svc_agt_",
  "computer-token": "svc_cmp_",
  token: "svc_et_",
  login: "svc_log_",
} as const satisfies Record<CredentialKind, string>;

// Crockford's base 32: nothing in it can be misread, and a double click selects all of it.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const randomLength = 32;
/** Separates the checksum, so that a key without one cannot look as if it had a wrong one by chance. */
const separator = "_";

/** Not only the alphabet: a mistyped character must not turn a key into one without a checksum. */
const withChecksum = new RegExp(
  `^svc_(sk|agt|cmp|et|log)_[0-9A-Za-z]{${randomLength}}${separator}[0-9A-Za-z]{${checksumLength}}$`,
);
/** Keys of earlier releases, and keys that an operator chose. */
const withoutChecksum = /^svc_sk_[0-9A-Za-z_-]{32,128}$/;

/** Three parts, of which the first begins like a JSON object. Longer ones do not fit into a header. */
const jwt = /^eyJ[0-9A-Za-z_-]+\.[0-9A-Za-z_-]+\.[0-9A-Za-z_-]+$/;
const maxJwtLength = 8_192;

/** A new credential with 160 random bits. */
export function newCredential(kind: CredentialKind, random: (size: number) => Uint8Array): string {
  let text: string = prefixes[kind];
  for (const byte of random(randomLength)) text += alphabet.charAt(byte & 31);
  return text + separator + checksumOf(text);
}

/** The form of a credential; undefined for a text that cannot be one, which therefore costs no query. */
export function formOf(text: string): CredentialForm | undefined {
  const [, kind] = withChecksum.exec(text) ?? [];
  if (kind === undefined) return formWithoutChecksum(text);
  const end = text.length - checksumLength;
  if (checksumOf(text.slice(0, end - separator.length)) !== text.slice(end)) return undefined;
  return kindOf(kind);
}

/** Whether a credential was generated with a checksum, so that a mistyped or invented one would have no form. */
export function hasChecksum(text: string): boolean {
  return withChecksum.test(text) && formOf(text) !== undefined;
}

function formWithoutChecksum(text: string): CredentialForm | undefined {
  if (withoutChecksum.test(text)) return "key";
  return text.length <= maxJwtLength && jwt.test(text) ? "jwt" : undefined;
}

function kindOf(prefix: string): CredentialKind {
  if (prefix === "et") return "token";
  if (prefix === "log") return "login";
  if (prefix === "cmp") return "computer-token";
  return prefix === "agt" ? "agent-key" : "key";
}

/**
 * The stored form of a credential. A plain SHA-256 is enough and fast: 160 random bits cannot be guessed, however
 * quickly guesses can be tried.
 */
export function hashCredential(credential: string): string {
  return hash("sha256", credential);
}

/** Compares in constant time. */
export function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
