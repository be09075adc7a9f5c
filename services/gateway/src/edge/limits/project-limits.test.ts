import assert from "node:assert/strict";
import { createLogger, ManualClock } from "@muster/service";
import { describe, test } from "vitest";
import { ProjectLimits } from "./limits.ts";

const cacheMs = 4_000;

/** Limits whose store can be down. */
function start() {
  const clock = new ManualClock();
  const store = { perMinute: 10 as number | undefined, isDown: false, reads: 0 };
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const limits = new ProjectLimits({
    read: async () => {
      store.reads += 1;
      if (store.isDown) throw new Error("the auth service is down");
      return store.perMinute;
    },
    log: createLogger({ name: "gateway", level: "warn", destination }),
    ...{ clock, cacheMs },
  });
  return { clock, store, limits, lines };
}

describe("the stored limit of a project", () => {
  test("it is read once for requests at the same time, and again when it is too old", async () => {
    const { clock, store, limits } = start();
    assert.deepEqual(await Promise.all([limits.of("p"), limits.of("p")]), [10, 10]);
    clock.advance(cacheMs - 1);
    assert.equal(limits.of("p"), 10);
    assert.equal(store.reads, 1);
    store.perMinute = undefined;
    clock.advance(1);
    assert.equal(await limits.of("p"), undefined);
    assert.equal(store.reads, 2);
  });

  test("while it cannot be read, the last one applies and requests wait for one attempt in a while", async () => {
    const { clock, store, limits, lines } = start();
    await limits.of("p");
    store.isDown = true;
    for (let n = 0; n < 3; n++) {
      clock.advance(cacheMs);
      assert.equal(await limits.of("p"), 10);
      assert.equal(limits.of("p"), 10);
    }
    assert.equal(store.reads, 4);
    assert.equal(lines.length, 3);
    store.isDown = false;
    store.perMinute = 20;
    clock.advance(cacheMs);
    assert.equal(await limits.of("p"), 20);
  });

  test("a project whose limit was never read has none of its own", async () => {
    const { store, limits } = start();
    store.isDown = true;
    assert.equal(await limits.of("p"), undefined);
  });
});
