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
