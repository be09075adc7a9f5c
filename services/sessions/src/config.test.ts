import assert from "node:assert/strict";
import { ConfigError } from "@muster/service";
import { defaultFileRules } from "@muster/storage/files";
import { test } from "vitest";
import { readSessionsConfig, readSessionTtlMs } from "./config.ts";

const complete = {
  MONGODB_URI: "mongodb://db",
  MUSTER_PRINCIPAL_SECRET: "0123456789abcdef0123456789abcdef",
  NATS_URL: "nats://bus",
  AUTH_ADDRESSES: "10.0.0.3:7001",
  AGENTS_ADDRESSES: "10.0.0.1:7002, 10.0.0.2:7002",
};

test("a complete environment is read, with defaults for the rest", () => {
  const { principalSecrets, ...config } = readSessionsConfig(complete);
  assert.deepEqual(
    principalSecrets.map((secret) => secret.reveal()),
    [complete.MUSTER_PRINCIPAL_SECRET],
  );
  assert.deepEqual(config, {
    store: { uri: "mongodb://db", databasePrefix: "muster" },
    fileRules: defaultFileRules,
    fileMemoryBytes: 300_000_000,
    listen: { host: "0.0.0.0", port: 7003, maxConnectionAgeMs: 60_000 },
    metrics: undefined,
    sessionTtlMs: 86_400_000,
    maxConversationBytes: 32 * 1024 * 1024,
    historyCacheBytes: 64 * 1024 * 1024,
    executionLog: { isOn: true, keepMs: 30 * 86_400_000, maxLength: 16 * 1024 * 1024 },
    keepEventsMs: 15 * 60_000,
    mcpAllowedHosts: [],
    toolAllowedHosts: [],
    localContextTokens: 32_000,
    bandwidthPer1M: "0",
    natsUrl: "nats://bus",
    authAddresses: ["10.0.0.3:7001"],
    agentsAddresses: ["10.0.0.1:7002", "10.0.0.2:7002"],
  });
});

test("the error for an incomplete environment lists each missing variable", () => {
  for (const variable of Object.keys(complete)) {
    assert.throws(
      () => readSessionsConfig({ ...complete, [variable]: "" }),
      (error) => error instanceof ConfigError && error.variable === variable,
    );
  }
});

test("a session's time to live is in whole hours, and 0 means that it never expires", () => {
  assert.equal(readSessionTtlMs({ SESSION_TTL_HOURS: "0" }), 0);
  assert.equal(readSessionTtlMs({ SESSION_TTL_HOURS: "2" }), 7_200_000);
  for (const wrong of ["-1", "1.5", "soon"]) {
    assert.throws(() => readSessionTtlMs({ SESSION_TTL_HOURS: wrong }), ConfigError);
  }
});

test("hosts in the operator's own network are exact or endings of names, and a URL or a pattern stops the start", () => {
  const hosts = "mcp.corp.internal, .tools.internal,10.0.0.7,[::1]";
  const { mcpAllowedHosts, toolAllowedHosts } = readSessionsConfig({ ...complete, MCP_ALLOWED_HOSTS: hosts });
  assert.deepEqual(mcpAllowedHosts, ["mcp.corp.internal", ".tools.internal", "10.0.0.7", "[::1]"]);
  assert.deepEqual(toolAllowedHosts, []);
  for (const wrong of ["https://mcp.corp.internal", "*.internal", "a,,b", "10.0.0.7:8080", "A.internal"]) {
    assert.throws(
      () => readSessionsConfig({ ...complete, TOOL_ALLOWED_HOSTS: wrong }),
      (error) => error instanceof ConfigError && error.variable === "TOOL_ALLOWED_HOSTS",
      wrong,
    );
  }
});
