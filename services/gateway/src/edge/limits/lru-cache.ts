import { LRUCache } from "lru-cache";

/**
 * A cache of the values that were used last. Its tables grow with it: with the `max` of the library, a gateway would fill those
 * of all its caches when it starts, which takes 10 ms.
 */
export function lruCache<Value extends NonNullable<unknown>>(
  maxEntries: number,
  options: Pick<
    LRUCache.OptionsMaxLimit<string, Value, unknown>,
    "ttl" | "perf" | "ttlResolution" | "noUpdateTTL"
  > = {},
): LRUCache<string, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1, ...options });
}
