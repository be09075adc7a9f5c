import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "@muster/testing";
import { test } from "vitest";
import { allWorkspaces, neededLibraries } from "../stages/lock-file.mjs";
import { isSuperfluous, outdatedPatterns } from "../stages/superfluous.mjs";

async function folderWith(t, files) {
  const root = await temporaryDirectory(t);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

test("the image gets the libraries outside of the bundle and what these need, in the version that each needs, and no development dependency", async (t) => {
  const packages = {
    "": { dependencies: { log: "2.0.0" } },
    "node_modules/canvas": {
      dependencies: { log: "1.0.0" },
      devDependencies: { runner: "1.0.0" },
      optionalDependencies: { "canvas-linux": "1.0.0", left: "1.0.0" },
    },
    "node_modules/log": { dependencies: { colour: "1.0.0" } },
    "node_modules/canvas/node_modules/log": {
      peerDependencies: { peer: "*", rare: "*" },
      peerDependenciesMeta: { rare: { optional: true } },
    },
    "node_modules/fonts": { dependencies: { log: "2.0.0" } },
    "node_modules/colour": { dependencies: { log: "2.0.0" } },
    "node_modules/canvas-linux": {},
    "node_modules/peer": {},
    "node_modules/rare": {},
    "node_modules/runner": {},
    "node_modules/@muster/serve": { resolved: "deploy/serve", link: true },
    "deploy/serve": {},
  };
  const root = await folderWith(t, { "package-lock.json": JSON.stringify({ packages }) });
  assert.deepEqual(neededLibraries(root, ["canvas", "fonts"]), [
    ...["node_modules/canvas", "node_modules/canvas-linux", "node_modules/canvas/node_modules/log"],
    ...["node_modules/colour", "node_modules/fonts", "node_modules/log", "node_modules/peer"],
  ]);
  assert.deepEqual(allWorkspaces(root), ["deploy/serve"]);
});

test("licences, code and data of packages stay; files that only developers read go", () => {
  const stays = [
    "LICENSE.md",
    "docs/NOTICE.md",
    "lib/docs/read.js",
    "dist/doc/node.cjs",
    "index.mjs",
    "a.wasm",
    "package.json",
  ];
  const goes = [
    "README.md",
    "index.d.ts",
    "index.js.map",
    "test/run.js",
    ".github/ci.yml",
    "src/index.ts",
    "a/b.d.mts",
  ];
  assert.deepEqual(
    [...stays, ...goes].filter((path) => isSuperfluous("any", path)),
    goes,
  );
  assert.equal(isSuperfluous("mediabunny", "dist/bundles/mediabunny.js"), true);
  assert.equal(isSuperfluous("mediabunny", "dist/modules/index.js"), false);
});

test("a pattern for a package whose files have changed is reported", () => {
  const files = [
    { name: "mediabunny", file: "dist/bundles/mediabunny.js" },
    { name: "@expo-google-fonts/inter", file: "index.js" },
  ];
  const outdated = outdatedPatterns(files);
  assert.ok(!outdated.includes("mediabunny"));
  assert.ok(outdated.includes("@expo-google-fonts/inter"));
});
