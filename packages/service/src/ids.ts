import { randomFillSync } from "node:crypto";

/**
 * Random bytes from a buffer that is refilled as needed: asking the system for a few at a time costs more than
 * the rest of generating an id, and a turn generates a dozen. No byte is returned twice.
 */
export function createRandomPool(poolBytes = 4_096): (size: number) => Uint8Array {
  const pool = new Uint8Array(poolBytes);
  let used = poolBytes;
  return (size) => {
    if (used + size > poolBytes) {
      randomFillSync(pool);
      used = 0;
    }
    used += size;
    return pool.slice(used - size, used);
  };
}

/** Prefixes of the public ids, so that an id in a log line shows its kind. */
export type IdPrefix =
  | "agt"
  | "aud"
  | "apr"
  | "cmp"
  | "mcp"
  | "ses"
  | "thr"
  | "run"
  | "exe"
  | "file"
  | "msg"
  | "tok"
  | "log"
  | "key"
  | "idp"
  | "prj"
  | "req"
  | "blk"
  | "call"
  | "evt"
  | "gen"
  | "rec"
  | "sch"
  | "srn"
  | "whk"
  | "dlv"
  | "hok"
  | "hdl";

/** Generates ids. Injected wherever ids are generated, so that tests can use a counter. */
export type NewId = (prefix: IdPrefix) => string;

// Crockford's base 32 in lower case: its order is ASCII order, so encoded times sort as text.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * Ids look like `ses_01k8…`: 10 characters of milliseconds since 1970 (sortable by creation time), then
 * 20 characters of randomness (100 bits, unguessable). URL-safe.
 */
export function createIds(
  now: () => number = Date.now,
  random: (size: number) => Uint8Array = createRandomPool(),
): NewId {
  return (prefix) => `${prefix}_${encodeTime(now())}${encodeRandom(random(20))}`;
}

/** When an id was generated, in milliseconds since 1970; undefined if it does not look like one of `createIds`. */
export function timeOfId(id: string): number | undefined {
  const time = /^[a-z]+_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{20}$/.exec(id)?.[1];
  if (time === undefined) return undefined;
  let milliseconds = 0;
  for (const digit of time) milliseconds = milliseconds * 32 + alphabet.indexOf(digit);
  return milliseconds;
}

/** No id of the prefix that was generated at this time or later sorts before it. */
export function firstIdAt(prefix: IdPrefix, milliseconds: number): string {
  return `${prefix}_${encodeTime(Math.max(0, milliseconds))}`;
}

function encodeTime(milliseconds: number): string {
  let rest = milliseconds;
  let text = "";
  for (let i = 0; i < 10; i++) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function encodeRandom(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += alphabet.charAt(byte & 31);
  return text;
}
