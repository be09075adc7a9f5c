import assert from "node:assert/strict";
import { ConfigError } from "@muster/service";
import { test } from "vitest";
import { readAdminKey } from "./config.ts";

test("MUSTER_ADMIN_KEY must look like a key and be long enough to be unguessable", () => {
  assert.equal(readAdminKey({}), undefined);
  const good = `svc_sk_${"aB3_-".repeat(8)}`;
  assert.equal(readAdminKey({ MUSTER_ADMIN_KEY: good })?.reveal(), good);
  for (const bad of ["secret", "svc_sk_short", `sk_${"a".repeat(40)}`, `svc_sk_${"a".repeat(129)}`]) {
    assert.throws(
      () => readAdminKey({ MUSTER_ADMIN_KEY: bad }),
      (error) => error instanceof ConfigError && !error.message.includes(bad),
    );
  }
});
