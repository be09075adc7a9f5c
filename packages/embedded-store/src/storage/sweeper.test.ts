import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { startTestServer } from "../testing.ts";

const server = await startTestServer(1000);

describe("the sweeper", () => {
  test("removes more than a sweep's worth without waiting for the next, so that it keeps up with what expires", async () => {
    const items = server.collection();
    await items.createIndex({ at: 1 }, { expireAfterSeconds: 0 });
    await items.insertMany(Array.from({ length: 6000 }, (_, i) => ({ _id: i, at: new Date(i) })));
    await until(async () => (await items.countDocuments()) === 0);
  });

  test("takes an expiry of a fraction of a second, and goes on", async () => {
    const items = server.collection();
    await items.createIndex({ at: 1 }, { expireAfterSeconds: 0.0001 });
    await items.insertMany([
      { _id: 1, at: new Date(0) },
      { _id: 2, at: new Date(Date.now() + 3_600_000) },
    ]);
    await until(async () => (await items.countDocuments()) === 1);
    assert.deepEqual(server.log, []);
  });
});
