import assert from "node:assert/strict";
import { test } from "vitest";
import { ConfigError } from "./env.ts";
import {
  readAddresses,
  readBandwidthFee,
  readBusUrl,
  readDatabasePrefix,
  readDrainMs,
  readListen,
  readLogLevel,
  readPrincipalSecrets,
  readStoreSettings,
} from "./process-settings.ts";

test("shared settings are read with their defaults", () => {
  assert.deepEqual(readListen({}, "AUTH", 7001), {
    host: "0.0.0.0",
    port: 7001,
    maxConnectionAgeMs: 60_000,
  });
  assert.equal(readListen({ MAX_CONNECTION_AGE_SECONDS: "0" }, "AUTH", 1).maxConnectionAgeMs, 0);
  assert.deepEqual(readStoreSettings({ MONGODB_URI: "mongodb://h/?replicaSet=r" }), {
    uri: "mongodb://h/?replicaSet=r",
    databasePrefix: "muster",
  });
  const list = "10.0.0.1:7002, 10.0.0.2:7002";
  assert.deepEqual(readAddresses({ A: list }, "A"), ["10.0.0.1:7002", "10.0.0.2:7002"]);
  for (const one of ["agents:7002", "dns:///agents:7002", "[::1]:7002", "unix:/run/agents.sock"]) {
    assert.deepEqual(readAddresses({ A: one }, "A"), [one]);
  }
  assert.equal(readBusUrl({ NATS_URL: "nats://u:p@h:4222,tls://i" }), "nats://u:p@h:4222,tls://i");
  assert.equal(readDrainMs({ DRAIN_SECONDS: "3" }), 3_000);
  assert.equal(readLogLevel({}, "info"), "info");
  assert.equal(readBandwidthFee({}), "0");
  assert.equal(readBandwidthFee({ BANDWIDTH_FEE_PER_1M: "0.050" }), "0.050");
});

const secretText = "0123456789abcdef0123456789abcdef";

test("the secrets of principals are read in the order of their list", () => {
  const read = (list: string) =>
    readPrincipalSecrets({ MUSTER_PRINCIPAL_SECRET: list }).map((secret) => secret.reveal());
  assert.deepEqual(read(secretText), [secretText]);
  const next = secretText.toUpperCase();
  assert.deepEqual(read(`${secretText}, ${next}`), [secretText, next]);
});

const wrong: Array<[string, string, () => unknown]> = [
  ...["short", `${secretText},short`, `short,${secretText}`, `${secretText},`, `,${secretText}`, ","].map(
    (list): (typeof wrong)[number] => [
      "MUSTER_PRINCIPAL_SECRET",
      list.includes("short") ? "short" : secretText,
      () => readPrincipalSecrets({ MUSTER_PRINCIPAL_SECRET: list }),
    ],
  ),
  ["MONGODB_URI", "hush", () => readStoreSettings({ MONGODB_URI: "postgres://u:hush@h" })],
  ["MUSTER_DATABASE_PREFIX", "a b", () => readDatabasePrefix({ MUSTER_DATABASE_PREFIX: "a b" })],
  ["NATS_URL", "hush", () => readBusUrl({ NATS_URL: "http://u:hush@h" })],
  ["AGENTS_ADDRESSES", "", () => readAddresses({ AGENTS_ADDRESSES: "a b" }, "AGENTS_ADDRESSES")],
  ...["a:1,b:2", "10.0.0.1:1,b:2", "127.0.0.1:1,[::1]:1", "dns:///a:1,dns:///b:1", "dns://10.0.0.1/a:1"].map(
    (list): (typeof wrong)[number] => ["A", "", () => readAddresses({ A: list }, "A")],
  ),
  ["MAX_CONNECTION_AGE_SECONDS", "", () => readListen({ MAX_CONNECTION_AGE_SECONDS: "100000" }, "AUTH", 1)],
  ["AGENTS_ADDRESSES", "", () => readAddresses({ AGENTS_ADDRESSES: "agents:70020" }, "AGENTS_ADDRESSES")],
  ["AGENTS_ADDRESSES", "", () => readAddresses({ AGENTS_ADDRESSES: "10.0.0.1:0" }, "AGENTS_ADDRESSES")],
  ["AUTH_PORT", "", () => readListen({ AUTH_PORT: "99999" }, "AUTH", 1)],
  ...["-1", "1e-3", "free", ".5", "1,5"].map((fee): (typeof wrong)[number] => [
    "BANDWIDTH_FEE_PER_1M",
    "",
    () => readBandwidthFee({ BANDWIDTH_FEE_PER_1M: fee }),
  ]),
  ["LOG_LEVEL", "", () => readLogLevel({ LOG_LEVEL: "loud" }, "info")],
];

for (const [variable, secret, read] of wrong) {
  test(`an invalid ${variable} is refused by name, without repeating a possible secret`, () => {
    assert.throws(read, (error) => {
      assert.ok(error instanceof ConfigError);
      assert.equal(error.variable, variable);
      if (secret !== "") assert.ok(!error.message.includes(secret));
      return true;
    });
  });
}
