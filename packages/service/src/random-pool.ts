import { randomFillSync } from "node:crypto";

/**
 * Random bytes from a buffer that is filled now and then: asking the system for a few at a time costs more than
 * all else about an id, and a turn makes a dozen. No byte is handed out twice.
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
