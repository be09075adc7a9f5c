import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Clock, Secret } from "@muster/service";

/** Texts for URLs that only this installation can make. They consist of letters, digits, `_`, `-` and one dot. */
export interface SignedTexts<Purpose extends string> {
  /** `fields`: any JSON. The text is valid for `lifetimeMs`. */
  sign(purpose: Purpose, fields: readonly unknown[], lifetimeMs: number): string;
  /** The fields, or undefined if the text is not genuine, was signed for another purpose or has expired at `nowMs`. */
  read(purpose: Purpose, text: string, nowMs?: number): readonly unknown[] | undefined;
}

export interface SignedTextOptions {
  /** At least one. The first signs; all are accepted, so keys can be rotated. */
  keys: readonly Secret[];
  /** The purpose of the texts. Texts for one use are not genuine for any other. Changing it invalidates all of them. */
  use: string;
  clock: Pick<Clock, "now">;
}

const maxTextLength = 4_096;

export function createSignedTexts<Purpose extends string>(options: SignedTextOptions): SignedTexts<Purpose> {
  const { keys, use, clock } = options;
  const derived = keys.map((key) => deriveKey(key, use));
  const [current] = derived;
  if (current === undefined) throw new Error("Signed addresses need at least one key.");

  return {
    sign: (purpose, fields, lifetimeMs) => {
      const payload = Buffer.from(JSON.stringify([clock.now() + lifetimeMs, ...fields])).toString(
        "base64url",
      );
      return `${payload}.${signature(current, purpose, payload).toString("base64url")}`;
    },
    read: (purpose, text, nowMs = clock.now()) => {
      if (text.length > maxTextLength) return undefined;
      const [payload = "", given = "", ...rest] = text.split(".");
      const bytes = Buffer.from(given, "base64url");
      const isGenuine = derived.some((key) => isSame(signature(key, purpose, payload), bytes));
      if (!isGenuine || rest.length > 0) return undefined;
      return unexpired(JSON.parse(Buffer.from(payload, "base64url").toString()), nowMs);
    },
  };
}

function unexpired(signed: unknown, nowMs: number): readonly unknown[] | undefined {
  if (!Array.isArray(signed)) return undefined;
  const [expiresAtMs, ...fields]: unknown[] = signed;
  return typeof expiresAtMs === "number" && nowMs < expiresAtMs ? fields : undefined;
}

function deriveKey(secret: Secret, use: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret.reveal(), "", use, 32));
}

function signature(key: Buffer, purpose: string, payload: string): Buffer {
  return createHmac("sha256", key).update(`${purpose}.${payload}`).digest();
}

function isSame(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given);
}
