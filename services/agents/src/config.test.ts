import assert from "node:assert/strict";
import { ConfigError } from "@muster/service";
import { test } from "vitest";
import { readAgentsConfig } from "./config.ts";

const env = { MONGODB_URI: "mongodb://db", MUSTER_PRINCIPAL_SECRET: "a-secret-of-32-characters-or-more" };

test("settings of the agents service are read, and the rest has defaults", () => {
  const config = readAgentsConfig({ ...env, AGENTS_PORT: "9000", MUSTER_DATABASE_PREFIX: "dev" });
  assert.deepEqual(config.store, { uri: "mongodb://db", databasePrefix: "dev" });
  assert.deepEqual(config.listen, { host: "0.0.0.0", port: 9000, maxConnectionAgeMs: 60_000 });
  assert.equal(readAgentsConfig(env).store.databasePrefix, "muster");
});

test("a missing or invalid variable of the agents service is reported by name", () => {
  for (const name of ["MONGODB_URI", "MUSTER_PRINCIPAL_SECRET"]) {
    const missing = { name: "ConfigError", variable: name, message: `${name} must be set` };
    assert.throws(() => readAgentsConfig({ ...env, [name]: "" }), missing);
  }
  const isAboutPort = (error: unknown) => error instanceof ConfigError && error.variable === "AGENTS_PORT";
  assert.throws(() => readAgentsConfig({ ...env, AGENTS_PORT: "many" }), isAboutPort);
});
