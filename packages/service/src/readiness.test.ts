import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { createReadiness, NotReadyError } from "./readiness.ts";

const responds = async () => {};
const refuses = () => Promise.reject(new Error("connect ECONNREFUSED 10.0.0.7:27017"));
const hangs = () => new Promise<never>(() => {});

describe("readiness", () => {
  test("readiness names each dependency that refuses or never responds, and no address", async () => {
    const check = createReadiness({
      dependencies: [
        { name: "agents", check: responds },
        { name: "store", check: refuses },
        { name: "events", check: hangs },
      ],
      checkTimeoutMs: 1,
    });
    assert.deepEqual(await check(), {
      isReady: false,
      dependencies: { agents: "ok", store: "unreachable", events: "unreachable" },
      degraded: [],
    });
  });

  test("readiness is kept and degraded while a disk is full, whether its own or a dependency's", async () => {
    const full = { isFull: async () => true };
    const fullStore = { name: "store", check: responds, isStorageFull: async () => true };
    const silent = { name: "agents", check: responds, isStorageFull: () => new Promise<boolean>(() => {}) };
    for (const options of [{ dependencies: [fullStore, silent] }, { dependencies: [], storages: [full] }]) {
      const { isReady, degraded } = await createReadiness({ ...options, checkTimeoutMs: 1 })();
      assert.deepEqual([isReady, degraded], [true, ["storage-full"]]);
    }
    const { degraded } = await createReadiness({ dependencies: [silent], checkTimeoutMs: 1 })();
    assert.deepEqual(degraded, []);
  });

  test("readiness names what a dependency itself lacks", async () => {
    const check = createReadiness({
      dependencies: [
        { name: "sessions", check: () => Promise.reject(new NotReadyError({ store: "unreachable" })) },
      ],
    });
    assert.deepEqual((await check()).dependencies, {
      sessions: "not_ready",
      "sessions.store": "unreachable",
    });
  });

  test("callers of readiness share one check, and its result until it is a second old", async () => {
    let checks = 0;
    let nowMs = 5;
    const hold = Promise.withResolvers<void>();
    const counted = async () => {
      checks++;
      await hold.promise;
    };
    const check = createReadiness({
      dependencies: [{ name: "store", check: counted }],
      checkTimeoutMs: 2 ** 31 - 1,
      now: () => nowMs,
    });
    const both = Promise.all([check(), check()]);
    hold.resolve();
    await both;
    nowMs += 999;
    await check();
    assert.equal(checks, 1);
    nowMs += 1;
    await check();
    assert.equal(checks, 2);
  });
});
