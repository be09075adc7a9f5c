import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "@muster/testing";
import { test } from "vitest";
import { missingImports } from "../stages/imports.mjs";
import { allWorkspaces, neededPackages } from "../stages/lock-file.mjs";
import { isForDevelopers, isSuperfluous, outdatedPatterns } from "../stages/superfluous.mjs";

async function folderWith(t, files) {
  const root = await temporaryDirectory(t);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

test("the image gets what its processes need, directly or not, in the version that each needs, and no development dependency", async (t) => {
  const packages = {
    "": { workspaces: ["deploy/serve", "packages/cli", "packages/testing"] },
    "deploy/serve": { dependencies: { log: "2.0.0" }, devDependencies: { runner: "1.0.0" } },
    "packages/cli": { dependencies: { log: "1.0.0", canvas: "1.0.0" } },
    "packages/testing": { dependencies: { browser: "1.0.0" } },
    "node_modules/@muster/serve": { resolved: "deploy/serve", link: true },
    "node_modules/@muster/cli": { resolved: "packages/cli", link: true },
    "node_modules/@muster/testing": { resolved: "packages/testing", link: true },
    "node_modules/log": { dependencies: { colour: "1.0.0" } },
    "packages/cli/node_modules/log": {
      peerDependencies: { peer: "*", rare: "*" },
      peerDependenciesMeta: { rare: { optional: true } },
    },
    "node_modules/colour": { dependencies: { log: "2.0.0" } },
    "node_modules/canvas": { optionalDependencies: { "canvas-linux": "1.0.0", left: "1.0.0" } },
    "node_modules/canvas-linux": {},
    "node_modules/peer": {},
    "node_modules/rare": {},
    "node_modules/runner": {},
    "node_modules/browser": {},
  };
  const root = await folderWith(t, { "package-lock.json": JSON.stringify({ packages }) });
  assert.deepEqual(neededPackages(root), {
    workspaces: ["deploy/serve", "packages/cli"],
    libraries: [
      ...["node_modules/canvas", "node_modules/canvas-linux", "node_modules/colour", "node_modules/log"],
      ...["node_modules/peer", "packages/cli/node_modules/log"],
    ],
  });
  assert.deepEqual(allWorkspaces(root), ["deploy/serve", "packages/cli", "packages/testing"]);
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
  assert.equal(isSuperfluous("sql.js", "dist/sql-asm.js"), true);
  assert.equal(isSuperfluous("sql.js", "dist/sql-wasm.wasm"), false);
});

test("a pattern for a package whose files have changed is reported", () => {
  const files = [
    { name: "sql.js", file: "dist/sql-asm.js" },
    { name: "mediabunny", file: "dist/modules/index.js" },
  ];
  const outdated = outdatedPatterns(files);
  assert.ok(!outdated.includes("sql.js"));
  assert.ok(outdated.includes("mediabunny"));
});

test("tests and their helpers are not part of the product", () => {
  const goes = [
    "src/a.test.ts",
    "src/testing.ts",
    "src/testing/world.ts",
    "test/kills.test.ts",
    "src/x/fixtures/a.webm",
  ];
  const stays = ["src/a.ts", "src/protest.ts", "src/testing-ground.ts", "bin/muster.mjs"];
  assert.deepEqual([...goes, ...stays].filter(isForDevelopers), goes);
});

test("an import or a file beside a module that the product lacks is reported with the place", async (t) => {
  const root = await folderWith(t, {
    "node_modules/there/package.json": "{}",
    "packages/tool/src/there.ts": "",
    "packages/tool/src/index.ts": [
      'import "node:fs";',
      'import { a } from "./there.ts";',
      'import { b } from "there/deep";',
      'export { c } from "./gone.ts";',
      'import type { D } from "only-a-type";',
      'const e = await import("@scope/gone/deep");',
      'new URL("./worker.ts", import.meta.url);',
    ].join("\n"),
  });
  assert.deepEqual(missingImports(root, ["packages/tool"]), [
    "packages/tool/src/index.ts needs ./gone.ts, which is missing",
    "packages/tool/src/index.ts needs @scope/gone/deep, which is missing",
    "packages/tool/src/index.ts needs ./worker.ts, which is missing",
  ]);
});
