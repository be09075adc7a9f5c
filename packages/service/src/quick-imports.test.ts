import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { temporaryDirectory } from "@muster/testing";
import { type TestContext, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

/** Runs a module in a process of its own, with quick imports or without. */
async function runModule(t: TestContext, quick: boolean, code: string) {
  const file = join(await temporaryDirectory(t), "main.mjs");
  const first = quick ? `await import(${urlOf("packages/service/src/quick-imports.mjs")});` : "";
  await writeFile(file, `${first}\n${code}`);
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr };
}

const urlOf = (path: string) => JSON.stringify(pathToFileURL(join(root, path)).href);

/** Prints each import of a process that runs all services as: importing module, how it imports, specifier, imported module, format. */
const listImports = `
  import { registerHooks } from "node:module";
  const imports = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const { url, format } = next(specifier, context);
      const kind = context.conditions.includes("require") ? "require" : "import";
      if (!specifier.startsWith("file:")) imports.add([context.parentURL, kind, specifier, url, format].join(" "));
      return { url, format, shortCircuit: true };
    },
  });
  await import(${urlOf("deploy/local/src/run.ts")});
  process.stdout.write([...imports].sort().join("\\n"), () => process.exit());
`;

test("quick imports resolve every import of a server as Node does", async (t) => {
  const [quick, slow] = await Promise.all([
    runModule(t, true, listImports),
    runModule(t, false, listImports),
  ]);
  assert.equal(slow.stderr, "");
  const imports = slow.stdout.split("\n");
  assert.ok(imports.length > 4_000, `${imports.length} imports`);
  assert.deepEqual(quick.stdout.split("\n"), imports);
});

test("an import of a missing file fails and names the file, also with quick imports", async (t) => {
  const { stderr } = await runModule(t, true, `await import("./nowhere.ts");`);
  assert.match(stderr, /ENOENT.*nowhere\.ts/);
});

test("a package that is a link is loaded once, from its own folder", async (t) => {
  const directory = await temporaryDirectory(t);
  await mkdir(join(directory, "packages/one"), { recursive: true });
  await mkdir(join(directory, "node_modules"));
  await symlink("../packages/one", join(directory, "node_modules/one"));
  const files = {
    "packages/one/package.json": JSON.stringify({ type: "module", exports: "./index.ts" }),
    "packages/one/index.ts": `export { here } from "./here.ts";`,
    "packages/one/here.ts": "export const here: string = import.meta.url;",
    "main.ts": `
      import { here } from "one";
      import { here as same } from "./packages/one/here.ts";
      process.stdout.write([here, same].join(" "));
    `,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  const main = pathToFileURL(join(directory, "main.ts")).href;
  const { stdout } = await runModule(t, true, `await import(${JSON.stringify(main)});`);
  const here = pathToFileURL(join(directory, "packages/one/here.ts")).href;
  assert.equal(stdout, `${here} ${here}`);
});

test("a package that two packages have in different versions is another one in each of them, and in their folders", async (t) => {
  const directory = await temporaryDirectory(t);
  const version = (text: string) => `export const version = "${text}";`;
  const manifest = JSON.stringify({ type: "module", exports: "./index.js" });
  const reader = `export { version } from "dependency";`;
  const files = {
    "package.json": "{}",
    "node_modules/dependency/package.json": manifest,
    "node_modules/dependency/index.js": version("shared"),
    "one/package.json": manifest,
    "one/index.js": reader,
    "one/node_modules/dependency/package.json": manifest,
    "one/node_modules/dependency/index.js": version("own"),
    "one/src/deep/index.js": reader,
    "two/package.json": manifest,
    "two/index.js": reader,
    "main.mjs": `
      import { version as shared } from "dependency";
      import { version as own } from "./one/index.js";
      import { version as deep } from "./one/src/deep/index.js";
      import { version as other } from "./two/index.js";
      process.stdout.write([shared, own, deep, other].join(" "));
    `,
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(directory, name, ".."), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  const main = pathToFileURL(join(directory, "main.mjs")).href;
  const { stdout, stderr } = await runModule(t, true, `await import(${JSON.stringify(main)});`);
  assert.equal(stderr, "");
  assert.equal(stdout, "shared own own shared");
});
