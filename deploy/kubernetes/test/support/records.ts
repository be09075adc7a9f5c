export type Json = Record<string, unknown>;

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `over` wins; maps are merged, lists and everything else replaced. */
export function merged(base: unknown, over: unknown): unknown {
  if (!isRecord(base) || !isRecord(over)) return over === undefined ? base : over;
  const keys = [...new Set([...Object.keys(base), ...Object.keys(over)])];
  return Object.fromEntries(keys.map((key) => [key, merged(base[key], over[key])]));
}

export function asRecord(value: unknown): Json {
  if (!isRecord(value)) throw new Error(`not a map: ${JSON.stringify(value)}`);
  return value;
}
