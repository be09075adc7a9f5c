import assert from "node:assert/strict";
import { ConfigError } from "@muster/service";
import { test } from "vitest";
import { readEdgeSettings } from "./config.ts";

test("the settings of the edge have defaults", () => {
  assert.deepEqual(readEdgeSettings({}), {
    maxRequestsInProgress: 1_000,
    modelsRateLimitPerMinute: 60,
    authFailuresPerMinute: 60,
    trustedProxies: [],
    bandwidthPer1M: "0",
    corsOrigins: [],
    maxEventLoopDelayMs: 1_000,
    rateLimits: { perAddress: 0, perCredential: 0, perProject: 0 },
  });
});

test("the settings of the edge are read", () => {
  const env = {
    MODELS_RATE_LIMIT_PER_MINUTE: "0",
    AUTH_FAILURES_PER_MINUTE: "5",
    TRUSTED_PROXIES: "10.0.0.0/8, fd00::/8,192.0.2.1",
    BANDWIDTH_FEE_PER_1M: "0.05",
    PUBLIC_URL: "https://muster.example.com/",
  };
  assert.deepEqual(readEdgeSettings(env), {
    maxRequestsInProgress: 1_000,
    modelsRateLimitPerMinute: 0,
    authFailuresPerMinute: 5,
    trustedProxies: ["10.0.0.0/8", "fd00::/8", "192.0.2.1"],
    bandwidthPer1M: "0.05",
    publicUrl: "https://muster.example.com",
    corsOrigins: [],
    maxEventLoopDelayMs: 1_000,
    rateLimits: { perAddress: 0, perCredential: 0, perProject: 0 },
  });
});

const wrong: Array<[variable: string, value: string]> = [
  ["TRUSTED_PROXIES", "10.0.0.0/8,"],
  ["TRUSTED_PROXIES", "10.0.0.0/8;fd00::/8"],
  ["TRUSTED_PROXIES", "0.0.0.0/0"],
  ["TRUSTED_PROXIES", "loopback"],
  ["TRUSTED_PROXIES", "true"],
  ["TRUSTED_PROXIES", "proxy.example"],
  ["MODELS_RATE_LIMIT_PER_MINUTE", "-1"],
  ["MODELS_RATE_LIMIT_PER_MINUTE", "many"],
  ["AUTH_FAILURES_PER_MINUTE", "-1"],
  ["BANDWIDTH_FEE_PER_1M", "5%"],
  ["PUBLIC_URL", "muster.example.com"],
  ["PUBLIC_URL", "ftp://muster.example.com"],
  ["PUBLIC_URL", "https://muster.example.com/?a=b"],
];
for (const [variable, value] of wrong) {
  test(`the setting ${variable}=${value} is refused with the variable's name`, () => {
    assert.throws(
      () => readEdgeSettings({ [variable]: value }),
      (error) => error instanceof ConfigError && error.variable === variable,
    );
  });
}
