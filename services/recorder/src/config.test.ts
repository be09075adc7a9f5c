import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import type { Environment } from "@muster/service";
import { test } from "vitest";
import { readRecorderConfig } from "./config.ts";

const required: Environment = {
  MUSTER_PRINCIPAL_SECRET: "0123456789abcdef0123456789abcdef",
  NATS_URL: "nats://127.0.0.1",
  WORKFORCE_ADDRESSES: "127.0.0.1:7004",
  FILES_DIRECTORY: "/files",
};

test("a recorder renders one recording per core in dark colours, unless it is told otherwise", () => {
  const { concurrency, theme, priority, listen } = readRecorderConfig(required);
  assert.deepEqual(
    [concurrency, theme, priority, listen?.port],
    [availableParallelism(), "dark", "low", 7005],
  );
  const settings = { RECORDER_CONCURRENCY: "3", RECORDING_THEME: "light", RECORDER_PRIORITY: "normal" };
  const changed = readRecorderConfig({ ...required, ...settings });
  assert.deepEqual([changed.concurrency, changed.theme, changed.priority], [3, "light", "normal"]);
});

for (const name of Object.keys(required))
  test(`a recorder without ${name} reports the setting`, () => {
    assert.throws(() => readRecorderConfig({ ...required, [name]: "" }), new RegExp(`${name} must be set`));
  });

for (const [name, value] of [
  ["RECORDER_CONCURRENCY", "0"],
  ["RECORDER_CONCURRENCY", "many"],
  ["RECORDING_THEME", "blue"],
  ["RECORDER_PRIORITY", "high"],
  ["RECORDING_RETENTION_DAYS", "-1"],
] as const)
  test(`${name}=${value} is refused`, () => {
    assert.throws(() => readRecorderConfig({ ...required, [name]: value }), new RegExp(`${name} must be`));
  });
