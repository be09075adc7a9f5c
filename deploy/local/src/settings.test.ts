import assert from "node:assert/strict";
import { readAgentsConfig } from "@muster/agents";
import { readAuthConfig } from "@muster/auth";
import { readGatewayConfig } from "@muster/gateway";
import { readModelsConfig } from "@muster/models";
import { readRecorderConfig } from "@muster/recorder/config";
import { ConfigError, type Environment, startProblem } from "@muster/service";
import { readSessionsConfig } from "@muster/sessions";
import { readWorkforceConfig } from "@muster/workforce/config";
import fc from "fast-check";
import { test } from "vitest";
import { readLocalConfig } from "./config.ts";

const address = "127.0.0.1:1";
const complete: Record<string, string> = {
  MUSTER_PRINCIPAL_SECRET: "0123456789abcdef0123456789abcdef",
  MUSTER_SECRETS_KEY: "0".repeat(64),
  MONGODB_URI: "mongodb://127.0.0.1",
  NATS_URL: "nats://127.0.0.1",
  ...{
    AUTH_ADDRESSES: address,
    AGENTS_ADDRESSES: address,
    SESSIONS_ADDRESSES: address,
    WORKFORCE_ADDRESSES: address,
  },
  FILES_DIRECTORY: "/files",
};

const readers: Record<string, (env: Environment) => unknown> = {
  agents: readAgentsConfig,
  auth: readAuthConfig,
  gateway: readGatewayConfig,
  recorder: readRecorderConfig,
  sessions: (env) => [readSessionsConfig(env), readModelsConfig(env)],
  workforce: readWorkforceConfig,
  all: readLocalConfig,
};

/** Never repeated in a message. */
const secret = /_(?:SECRET|KEY)$|^MONGODB_URI$|^NATS_URL$/;

/** The names of the settings that the process reads. */
function namesOf(read: (env: Environment) => unknown): string[] {
  const names = new Set<string>();
  read(
    new Proxy(complete, {
      get: (target, name) => {
        if (typeof name === "string") names.add(name);
        return Reflect.get(target, name);
      },
    }),
  );
  return [...names];
}

const anyValue = fc.oneof(
  // Longer ones are passphrases, which take a tenth of a second each.
  fc.string({ maxLength: 30, unit: "binary" }),
  fc.constantFrom(
    "",
    " ",
    "0",
    "-1",
    "1e9",
    "NaN",
    "99999999999999999999",
    "on",
    "__proto__",
    "constructor",
    "*",
    ",",
  ),
  fc.constantFrom(
    "http://u:hush@h/?q#f",
    "mongodb://u:hush@h:99999",
    "nats://",
    "[::1]:7",
    "a:1,b:2",
    "dns:///a:0",
  ),
);

for (const [name, read] of Object.entries(readers)) {
  const names = namesOf(read);
  test(`any settings of ${name} are accepted or refused in a line that begins with the name of one and repeats no secret`, () => {
    const changes = fc.dictionary(fc.constantFrom(...names), anyValue, { minKeys: 1, maxKeys: 4 });
    fc.assert(
      fc.property(changes, (changed) => {
        const refused = refusalOf(() => read({ ...complete, ...changed }));
        if (refused === undefined) return;
        assert.ok(refused instanceof ConfigError, String(refused));
        assert.ok(names.includes(refused.variable), refused.variable);
        const line = startProblem(name, refused);
        assert.ok(line.startsWith(`${name} cannot start: ${refused.variable} `), line);
        assert.equal(line.trimEnd().split("\n").length, 1, line);
        const value = changed[refused.variable]?.trim() ?? "";
        if (secret.test(refused.variable) && value.length > 12) assert.ok(!line.includes(value), line);
      }),
      { numRuns: 300 },
    );
  });
}

function refusalOf(read: () => unknown): unknown {
  try {
    read();
    return undefined;
  } catch (error) {
    return error;
  }
}

test("npm start on a store of others refuses a folder for files without a key to sign their addresses", () => {
  const env = { MONGODB_URI: "mongodb://127.0.0.1", FILES_DIRECTORY: "/files" };
  assert.throws(
    () => readLocalConfig(env),
    /^ConfigError: MUSTER_SECRETS_KEY must be set if FILES_DIRECTORY is/,
  );
  assert.doesNotThrow(() => readLocalConfig({ FILES_DIRECTORY: "/files" }));
});
