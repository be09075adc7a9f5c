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

test("real programs are chosen by name, with the machine's own system, a range of users and a folder for home directories", () => {
  const read = (env: Record<string, string>) => readComputersConfig({ DATA_DIR: "/srv", ...env }).bubblewrap;
  assert.equal(read({ COMPUTER_RUNTIME: "simulated", SANDBOX_UIDS: "5000-6000" }), undefined);
  assert.deepEqual(read({ COMPUTER_RUNTIME: "bubblewrap" }), {
    root: "/",
    homesDirectory: "/srv/homes",
    maxHomeBytes: 256 * 1024 * 1024,
  });
  const all = { SANDBOX_ROOT: "/opt/debian", SANDBOX_UIDS: "200000-200999", SANDBOX_HOME_MIB: "10" };
  assert.deepEqual(read({ COMPUTER_RUNTIME: "bubblewrap", SANDBOX_HOMES_DIRECTORY: "/homes", ...all }), {
    root: "/opt/debian",
    uids: { first: 200_000, last: 200_999 },
    homesDirectory: "/homes",
    maxHomeBytes: 10 * 1024 * 1024,
  });
});

for (const wrong of ["0-100", "5000", "5000-5003", "200999-200000", "1000-99999999999", "1e5-2e5", "a-b"]) {
  test(`${wrong} is refused as a range of users`, () => {
    assert.throws(() => readComputersConfig({ COMPUTER_RUNTIME: "bubblewrap", SANDBOX_UIDS: wrong }), {
      name: "ConfigError",
      variable: "SANDBOX_UIDS",
    });
  });
}

test("an unknown runtime is refused", () => {
  assert.throws(() => readComputersConfig({ COMPUTER_RUNTIME: "docker" }), { variable: "COMPUTER_RUNTIME" });
});
