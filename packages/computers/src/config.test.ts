import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "vitest";
import { readComputersConfig } from "./config.ts";

test("by default computers have no network, and files are kept below the data folder", () => {
  assert.deepEqual(readComputersConfig({}), { blobsDirectory: resolve("data/blobs"), allowedHosts: [] });
  assert.equal(readComputersConfig({ DATA_DIR: "/srv/muster" }).blobsDirectory, "/srv/muster/blobs");
});

test("allowed hosts are names, names with a wildcard for their subdomains, or everything", () => {
  const hosts = (text: string) => readComputersConfig({ SANDBOX_ALLOWED_HOSTS: text }).allowedHosts;
  assert.deepEqual(hosts(" Example.com, *.example.org,example.com,"), ["example.com", "*.example.org"]);
  assert.deepEqual(hosts("*"), ["*"]);
});

for (const wrong of [
  "https://example.com",
  "example.com/path",
  "a b",
  "*.*",
  "ex*mple.com",
  "-a.com",
  "a:80",
  "a".repeat(254),
]) {
  test(`${JSON.stringify(wrong.slice(0, 30))} is refused as an allowed host`, () => {
    assert.throws(() => readComputersConfig({ SANDBOX_ALLOWED_HOSTS: wrong }), {
      name: "ConfigError",
      variable: "SANDBOX_ALLOWED_HOSTS",
    });
  });
}
