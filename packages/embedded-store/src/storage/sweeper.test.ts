import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { startTestServer } from "../testing.ts";

const server = await startTestServer(1000);

describe("the sweeper", () => {
  test("the sweeper continues without a pause if one sweep is not enough", async () => {
    const items = server.collection();
    await items.createIndex({ at: 1 }, { expireAfterSeconds: 0 });
    await items.insertMany(Array.from({ length: 6000 }, (_, i) => ({ _id: i, at: new Date(i) })));
    await until(async () => (await items.countDocuments()) === 0);
  });

  test("the sweeper accepts an expiry of a fraction of a second and continues", async () => {
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
