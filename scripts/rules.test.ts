import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, type TestContext, test } from "vitest";

const root = join(import.meta.dirname, "..");
const tool = (path: string) => join(root, "node_modules", path);

interface Result {
  code: number | null;
  output: string;
}

/** A repository with these files, removed after the test. */
async function makeRepository(t: TestContext, files: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "muster-rules-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  return directory;
}

function run(cwd: string, file: string, ...args: string[]): Promise<Result> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [file, ...args], { cwd }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}

/** Lints the files with the rules of this repository. */
async function lint(t: TestContext, files: Record<string, string>): Promise<Result> {
  const configuration = { root: true, extends: [join(root, "biome.json")], vcs: { enabled: false } };
  const directory = await makeRepository(t, { ...files, "biome.json": JSON.stringify(configuration) });
  return run(directory, tool("@biomejs/biome/bin/biome"), "lint", ".");
}

/** The `package.json` of a workspace. */
function manifest(name: string, dependencies: Record<string, string> = {}, devDependencies = {}): string {
  const fields = { name, version: "0.1.0", type: "module", main: "src/index.ts" };
  return JSON.stringify({ ...fields, dependencies, devDependencies });
}

describe("npm run lint", () => {
  test("lint rejects files that import each other", async (t) => {
    const { code, output } = await lint(t, {
      "a.ts": 'import { b } from "./b.ts";\nexport const a = () => b();\n',
      "b.ts": 'import { a } from "./a.ts";\nexport const b = (): unknown => a();\n',
    });
    assert.equal(code, 1, output);
    assert.match(output, /noImportCycles/);
  });

  test("lint rejects files that import each other's types", async (t) => {
    const { code, output } = await lint(t, {
      "a.ts": 'import type { B } from "./b.ts";\nexport interface A {\n  b: B;\n}\n',
      "b.ts": 'import type { A } from "./a.ts";\nexport interface B {\n  a: A;\n}\n',
    });
    assert.equal(code, 1, output);
    assert.match(output, /noImportCycles/);
  });

  test("lint rejects a floating promise", async (t) => {
    const { code, output } = await lint(t, {
      "a.ts": "async function work(): Promise<void> {}\n\nexport function start(): void {\n  work();\n}\n",
    });
    assert.equal(code, 1, output);
    assert.match(output, /noFloatingPromises/);
  });
});

describe("npm run check:structure", () => {
  const checkStructure = join(root, "scripts/check-structure.mjs");

  test("check:structure rejects imports that point from a package or a service to a service or to deploy", async (t) => {
    const directory = await makeRepository(t, {
      "packages/tool/package.json": manifest("@muster/tool"),
      "packages/tool/src/index.ts":
        'import "@muster/shop";\nexport { run } from "../../../deploy/local/src/run.ts";\n',
      "services/shop/package.json": manifest("@muster/shop"),
      "services/shop/src/index.ts": 'import "@muster/tool";\nconst bank = await import("@muster/bank");\n',
      "services/bank/package.json": manifest("@muster/bank"),
      "deploy/local/package.json": manifest("@muster/local"),
      "deploy/local/src/run.ts": 'import "@muster/shop";\nimport type { Tool } from "@muster/tool/types";\n',
    });
    const { code, output } = await run(root, checkStructure, directory);
    assert.equal(code, 1, output);
    assert.deepEqual(output.trim().split("\n"), [
      "packages/tool/src/index.ts: packages/tool must not import services/shop (@muster/shop)",
      "packages/tool/src/index.ts: packages/tool must not import deploy/local (../../../deploy/local/src/run.ts)",
      "services/shop/src/index.ts: services/shop must not import services/bank (@muster/bank)",
    ]);
  });

  test("check:structure rejects a file that is not named for its only exported value", async (t) => {
    const directory = await makeRepository(t, {
      "packages/tool/package.json": manifest("@muster/tool"),
      "packages/tool/src/index.ts": "export const anything = 1;\n",
      "packages/tool/src/read-url.ts": "export function readURL() {}\nexport interface Found {}\n",
      "packages/tool/src/queue.ts": "export function createQueue() {}\n",
      "packages/tool/src/size.ts": "export const sizeOf = (text: string) => text.length;\n",
      "packages/tool/src/keys/delete.ts": "export async function deleteKey() {}\n",
      "packages/tool/src/shapes.ts": "export const round = 1;\nexport const square = 2;\n",
      "packages/tool/src/types.ts": "export interface Shape {}\n",
      "packages/tool/src/engine.ts": "export class Helper {}\n",
      "packages/tool/src/tests.test.ts": "export const suite = 1;\n",
    });
    const refused = await run(root, checkStructure, directory);
    assert.equal(refused.code, 1, refused.output);
    assert.equal(refused.output.trim(), "packages/tool/src/engine.ts: its main export is Helper");
  });

  test("check:structure rejects a development dependency that is imported outside tests", async (t) => {
    const development = { "@muster/help": "0.1.0", vitest: "5.1.1" };
    const directory = await makeRepository(t, {
      "packages/help/package.json": manifest("@muster/help"),
      "packages/tool/package.json": manifest("@muster/tool", { commander: "15.1.0" }, development),
      "packages/tool/src/index.ts": 'import "commander";\nimport { help } from "@muster/help/deep";\n',
      "packages/tool/src/lazy.ts": 'export const lazy = await import("vitest");\n',
      "packages/tool/src/index.test.ts": 'import { test } from "vitest";\nimport "@muster/help";\n',
      "packages/tool/test/support/cases.ts": 'import "@muster/help";\n',
      "packages/tool/bench.ts": 'import "@muster/help";\n',
    });
    const { code, output } = await run(root, checkStructure, directory);
    assert.equal(code, 1, output);
    assert.deepEqual(output.trim().split("\n"), [
      "packages/tool/src/index.ts: @muster/help/deep is only a development dependency of packages/tool",
      "packages/tool/src/lazy.ts: vitest is only a development dependency of packages/tool",
    ]);
  });

  test("check:structure rejects a phrase above its ceiling, and says where it is and what to write", async (t) => {
    const directory = await makeRepository(t, {
      "docs/turns.md": `# Turns\n\nA turn.\n\n${"The gateway\nlets a reader in.\n\n".repeat(99)}It \`lets\` one in.\n`,
      "packages/tool/src/index.test.ts": 'test("a tool lets go", () => {});\n',
      "packages/tool/src/index.ts":
        '/** Reads a text,\n * and lets go. */\nconst text = "lets"; // Lets a reader in.\n',
    });
    const { code, output } = await run(root, join(root, "scripts/check-language.mjs"), directory);
    assert.equal(code, 1, output);
    const places = output.split("\n").filter((line) => line.endsWith(": lets"));
    assert.equal(places.length, 102, output);
    assert.equal(places[0], "docs/turns.md:6: lets");
    assert.deepEqual(places.slice(-3), [
      "packages/tool/src/index.test.ts:1: lets",
      "packages/tool/src/index.ts:2: lets",
      "packages/tool/src/index.ts:3: lets",
    ]);
    assert.match(output, /^language: lets: 102 instead of at most \d+; write: allows, releases$/m);
  });

  test("check:structure rejects dependencies that a workspace does not declare or does not use", async (t) => {
    const directory = await makeRepository(t, {
      "package.json": JSON.stringify({ name: "root", private: true, workspaces: ["packages/*"] }),
      "packages/tool/package.json": manifest("@muster/tool", { commander: "15.1.0" }),
      "packages/tool/src/index.ts": 'import { parse } from "yaml";\nexport const read = parse;\n',
    });
    await symlink(join(root, "node_modules"), join(directory, "node_modules"));
    await writeFile(
      join(directory, "knip.json"),
      '{ "include": ["dependencies", "unlisted", "unresolved"] }',
    );
    const { code, output } = await run(directory, tool("knip/bin/knip.js"), "--no-progress");
    assert.equal(code, 1, output);
    assert.match(output, /Unused dependencies[^\n]*\n *commander/);
    assert.match(output, /Unlisted dependencies[^\n]*\n *yaml/);
  });
});
