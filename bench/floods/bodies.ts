const targetBytes = 10 * 1024 * 1024 - 1024;

/** Values of about 10 MiB of JSON, each within all limits of a body and costly in a different way. */
export const wideValues: Readonly<Record<string, () => unknown>> = {
  "one string": () => "x".repeat(targetBytes),
  "one string full of escapes": () => '\n"'.repeat(targetBytes / 4),
  "one string beyond Latin-1": () => "€".repeat(targetBytes / 3),
  "49,000 long keys": () => withKeys(49_000, targetBytes),
  "19,000 records": () => Array.from({ length: 19_000 }, (_, id) => ({ id, text: "x".repeat(520) })),
};

/** Small in bytes, but as many values and levels as a body may have. */
export const busyValues: Readonly<Record<string, () => unknown>> = {
  "99,000 small values": () => Array.from({ length: 99_000 }, (_, index) => index),
  "49,000 short keys": () => withKeys(49_000, 0),
  "1,600 chains of 60 levels": () => Array.from({ length: 1_600 }, () => nested(58)),
};

/** Nine MiB, so that it fits into a session next to other messages. */
export function wideResult(): unknown {
  return withKeys(49_000, 9 * 1024 * 1024);
}

/** `count` keys of equal length that take `bytes` in all. */
function withKeys(count: number, bytes: number): Record<string, number> {
  const padding = "y".repeat(Math.max(0, Math.floor(bytes / count) - 12));
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}${padding}`, 1]));
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}
