import assert from "node:assert/strict";
import { test } from "vitest";
import { readWorkforceConfig } from "./config.ts";

const required = {
  MUSTER_PRINCIPAL_SECRET: "0123456789abcdef0123456789abcdef",
  MONGODB_URI: "mongodb://127.0.0.1",
  NATS_URL: "nats://127.0.0.1",
  AUTH_ADDRESSES: "127.0.0.1:1",
  AGENTS_ADDRESSES: "127.0.0.1:2",
  SESSIONS_ADDRESSES: "127.0.0.1:3",
};

test("the process reads its settings, and names the one that is missing", () => {
  const config = readWorkforceConfig({ ...required, DATA_DIR: "/srv/muster" });
  assert.deepEqual(config.listen, { host: "0.0.0.0", port: 7004, maxConnectionAgeMs: 60_000 });
  assert.equal(config.computers.blobsDirectory, "/srv/muster/blobs");
  assert.deepEqual(config.deployment, { deploymentId: "dev", commitSha: "dev" });
  const build = { MUSTER_DEPLOYMENT_ID: "dpl_7", MUSTER_COMMIT_SHA: "0123abc" };
  const { deployment } = readWorkforceConfig({ ...required, ...build });
  assert.deepEqual(deployment, { deploymentId: "dpl_7", commitSha: "0123abc" });
  assert.deepEqual(config.sessionsAddresses, ["127.0.0.1:3"]);
  for (const name of Object.keys(required)) {
    assert.throws(() => readWorkforceConfig({ ...required, [name]: "" }), new RegExp(name));
  }
});
