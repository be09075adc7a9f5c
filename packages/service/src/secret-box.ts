import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Secret } from "./secret.ts";

/** An encrypted text as the store has it. */
export interface SealedText {
  /** Identifies the key that encrypted it. */
  keyId: string;
  /** Base64, like `text` and `tag`. Never used twice with one key. */
  nonce: string;
  text: string;
  tag: string;
}

/** `unknown-key`: it was encrypted with a key that is not configured. `damaged`: it was changed, or belongs elsewhere. */
export type OpenedText = { ok: true; text: string } | { ok: false; problem: "unknown-key" | "damaged" };

/**
 * Encrypts texts for the store with AES-256-GCM. `belongsTo` names what the text belongs to: it opens with the same
 * names only, so that write access to the store does not suffice to move it elsewhere.
 */
export interface SecretBox {
  /** Undefined if no key is configured. */
  seal?: (text: string, belongsTo: readonly string[]) => SealedText;
  /** Never throws. */
  open(sealed: SealedText, belongsTo: readonly string[]): OpenedText;
}

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** `keys`: 64 hexadecimal digits each. The first one encrypts. */
export function createSecretBox(
  keys: readonly Secret[],
  random: (size: number) => Uint8Array = randomBytes,
): SecretBox {
  const derived = keys.map(derive);
  const byId = new Map(derived.map((key) => [key.id, key]));
  const [current] = derived;
  return {
    ...(current && { seal: (text, belongsTo) => encrypt(current, random(nonceBytes), text, belongsTo) }),
    open: (sealed, belongsTo) => {
      const key = byId.get(sealed.keyId);
      if (key === undefined) return { ok: false, problem: "unknown-key" };
      try {
        return { ok: true, text: decrypt(key, sealed, belongsTo) };
      } catch {
        return { ok: false, problem: "damaged" };
      }
    },
  };
}

interface DerivedKey {
  /** Says nothing about the key. */
  id: string;
  key: Buffer;
}

/** The data key and its id are derived with different labels, so that neither says anything about the other. */
function derive(secret: Secret): DerivedKey {
  const master = Buffer.from(secret.reveal(), "hex");
  const bytes = (label: string, length: number) => Buffer.from(hkdfSync("sha256", master, "", label, length));
  return { id: bytes("muster/secrets/id", 6).toString("hex"), key: bytes("muster/secrets/aes-256-gcm", 32) };
}

function encrypt(
  { id, key }: DerivedKey,
  nonce: Uint8Array,
  text: string,
  belongsTo: readonly string[],
): SealedText {
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(authenticated(id, belongsTo));
  const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return {
    keyId: id,
    nonce: Buffer.from(nonce).toString("base64"),
    text: encrypted.toString("base64"),
    tag: cipher.getAuthTag().toString("base64"),
  };
}

function decrypt({ id, key }: DerivedKey, sealed: SealedText, belongsTo: readonly string[]): string {
  const bytes = (field: "nonce" | "text" | "tag") => Buffer.from(sealed[field], "base64");
  const decipher = createDecipheriv(algorithm, key, bytes("nonce"), { authTagLength: tagBytes });
  decipher.setAAD(authenticated(id, belongsTo));
  decipher.setAuthTag(bytes("tag"));
  return Buffer.concat([decipher.update(bytes("text")), decipher.final()]).toString("utf8");
}

function authenticated(keyId: string, belongsTo: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify([keyId, ...belongsTo]));
}
