import assert from "node:assert/strict";
import { ConfigError } from "@muster/service";
import { test } from "vitest";
import { readMetricsSettings } from "./read-metrics-settings.ts";

const own = { host: "10.0.0.7", port: 7003, setting: "SESSIONS_PORT" };

test("without a port there are no metrics, whatever else is set", () => {
  assert.equal(readMetricsSettings({}, own), undefined);
  assert.equal(readMetricsSettings({ METRICS_PORT: "", METRICS_HOST: "0.0.0.0" }, own), undefined);
});

test("metrics are served beside the process, or where the settings say", () => {
  const settings = { host: "10.0.0.7", port: 9464, commit: "dev" };
  assert.deepEqual(readMetricsSettings({ METRICS_PORT: "9464" }, own), settings);
  const env = { METRICS_PORT: "0", METRICS_HOST: "::1", MUSTER_COMMIT_SHA: "1f2e" };
  assert.deepEqual(readMetricsSettings(env, own), { host: "::1", port: 0, commit: "1f2e" });
});

for (const [value, problem] of [
  ["-1", /METRICS_PORT must be a whole number from 0 to 65535/],
  ["65536", /METRICS_PORT must be a whole number/],
  ["http", /METRICS_PORT must be a whole number/],
  ["7003", /METRICS_PORT must differ from SESSIONS_PORT, which is 7003 as well/],
] as const)
  test(`METRICS_PORT=${value} is refused in a sentence`, () => {
    assert.throws(
      () => readMetricsSettings({ METRICS_PORT: value }, own),
      (error) => error instanceof ConfigError && problem.test(error.message),
    );
  });
