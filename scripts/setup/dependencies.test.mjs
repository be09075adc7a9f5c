import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { dependenciesMatch } from "./dependencies.mjs";

/** A folder with a lock file and npm's record of the installed tree, both with these packages by path. */
function checkoutWith(wanted, installed) {
  const root = mkdtempSync(join(tmpdir(), "muster-setup-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "node_modules"));
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: wanted }));
  writeFileSync(join(root, "node_modules/.package-lock.json"), JSON.stringify({ packages: installed }));
  return root;
}

const here = { os: [process.platform], cpu: [process.arch] };
const elsewhere = { os: ["aix"], cpu: ["ppc64"] };
const installed = { "node_modules/a": { version: "1.0.0" } };

test("an installed tree matches the lock file if only packages of other platforms, and their dependencies, are absent", () => {
  const others = {
    "node_modules/binding-aix": { version: "1.0.0", optional: true, ...elsewhere },
    "node_modules/needed-on-aix": { version: "1.0.0", optional: true },
  };
  assert.ok(dependenciesMatch(checkoutWith({ ...installed, ...others }, installed)));
});

for (const [what, entry] of Object.entries({
  "a package": { version: "1.0.0" },
  "a workspace": { resolved: "packages/b", link: true },
  "an optional package for this platform": { version: "1.0.0", optional: true, ...here },
})) {
  test(`an installed tree without ${what} of the lock file does not match`, () => {
    assert.ok(!dependenciesMatch(checkoutWith({ ...installed, "node_modules/b": entry }, installed)));
  });
}

test("an installed tree without the tools of developers matches for the product, and only for it", () => {
  const root = checkoutWith({ ...installed, "node_modules/b": { version: "1.0.0", dev: true } }, installed);
  assert.ok(dependenciesMatch(root, { product: true }));
  assert.ok(!dependenciesMatch(root));
});

test("an installed tree without a library of the product does not match for the product", () => {
  const root = checkoutWith({ ...installed, "node_modules/b": { version: "1.0.0" } }, installed);
  assert.ok(!dependenciesMatch(root, { product: true }));
});

test("an installed tree with another version of a package does not match the lock file", () => {
  const wanted = { "node_modules/a": { version: "1.0.1", optional: true } };
  assert.ok(!dependenciesMatch(checkoutWith(wanted, installed)));
});

test("this checkout's installed tree matches its lock file", () => {
  assert.ok(dependenciesMatch(join(import.meta.dirname, "../..")));
});
