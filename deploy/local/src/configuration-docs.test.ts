import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { readAgentsConfig } from "@muster/agents";
import { readAuthConfig } from "@muster/auth";
import { readGatewayConfig } from "@muster/gateway";
import { readModelsConfig } from "@muster/models";
import { readRecorderConfig } from "@muster/recorder/config";
import type { Environment } from "@muster/service";
import { readSessionsConfig } from "@muster/sessions";
import { readWorkforceConfig } from "@muster/workforce/config";
import { test } from "vitest";
import { readLocalConfig } from "./config.ts";

const readers: Array<(env: Environment) => unknown> = [
  readAgentsConfig,
  readAuthConfig,
  readGatewayConfig,
  readLocalConfig,
  readModelsConfig,
  readRecorderConfig,
  readSessionsConfig,
  readWorkforceConfig,
];

const required: Environment = {
  MUSTER_PRINCIPAL_SECRET: "0123456789abcdef0123456789abcdef",
  MONGODB_URI: "mongodb://127.0.0.1",
  NATS_URL: "nats://127.0.0.1",
  AUTH_ADDRESSES: "127.0.0.1:1",
  AGENTS_ADDRESSES: "127.0.0.1:1",
  SESSIONS_ADDRESSES: "127.0.0.1:1",
  WORKFORCE_ADDRESSES: "127.0.0.1:1",
  FILES_DIRECTORY: "/files",
  MUSTER_SECRETS_KEY: "0".repeat(64),
};

test("the configuration page lists exactly the settings that are read", () => {
  const readNames = new Set<string>();
  const env = new Proxy(required, {
    get: (target, name) => {
      if (typeof name === "string") readNames.add(name);
      return Reflect.get(target, name);
    },
  });
  for (const read of readers) read(env);

  const page = readFileSync(resolve(import.meta.dirname, "../../../docs/configuration.md"), "utf8");
  const firstCells = page
    .split("\n")
    .map((line) => (line.startsWith("| `") ? (line.split("|")[1] ?? "") : ""));
  const documented = firstCells.flatMap((cell) => cell.match(/[A-Z][A-Z0-9_]+/g) ?? []);
  assert.deepEqual([...new Set(documented)].sort(), [...readNames].sort());
});
