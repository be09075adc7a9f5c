import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { temporaryDirectory, until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { TestProcess } from "./support/process.ts";

async function startAndStop(
  t: TestContext,
  directory: string,
  env: Record<string, string> = {},
): Promise<void> {
  const muster = new TestProcess(t, {
    ...{ PORT: "0", DATA_DIR: directory, NODE_COMPILE_CACHE: undefined },
    ...env,
  });
  const [, url = ""] = await muster.printed(/running at (http:\S+)/);
  // The banner appears just before the process listens for signals.
  await until("it is ready", async () => (await fetch(`${url}/readyz`)).ok);
  muster.child.kill("SIGTERM");
  assert.equal(await muster.exitCode(), 0);
}

/** Writes the modules that the main thread has loaded of Node itself when it ends. */
const listing = (path: string) => `
  import { writeFileSync } from "node:fs";
  import { isMainThread } from "node:worker_threads";
  if (isMainThread) process.on("exit", () => writeFileSync(${JSON.stringify(path)}, process.moduleLoadList.join("\\n")));
`;

test("the first start creates its data folder, readable by its owner only; the second keeps the compiled code of all threads there, and later ones use it, strip no types and do not load what could", async (t) => {
  const directory = await temporaryDirectory(t);
  const [data, list, hook] = [join(directory, "data"), join(directory, "list"), join(directory, "hook.mjs")];
  await writeFile(hook, listing(list));
  const stripper = async () => {
    await startAndStop(t, data, { NODE_OPTIONS: `--import ${pathToFileURL(hook)}` });
    return (await readFile(list, "utf8")).split("\n").filter((name) => name.includes("amaro"));
  };
  const kept = async () => {
    const [version = ""] = await readdir(join(data, "compiled-code"));
    const folder = join(data, "compiled-code", version);
    const files = await readdir(folder);
    return await Promise.all(
      files.map(async (name) => `${name} ${(await stat(join(folder, name))).mtimeMs}`),
    );
  };
  await startAndStop(t, data);
  assert.equal((await stat(data)).mode & 0o777, 0o700);
  assert.deepEqual((await readdir(data)).sort(), ["blobs", "files", "secrets.key", "store"]);
  assert.notDeepEqual(await stripper(), [], "without compiled code");
  const first = await kept();
  assert.ok(first.length > 1_000, `${first.length} modules`);
  // On a busy machine, a start is stopped before or after it warms up; each one keeps the code of the modules that it loaded.
  let starts = 1;
  while ((await stripper()).length > 0) assert.ok(++starts < 5, `${starts} starts load the type stripper`);
  const second = new Set(await kept());
  const unchanged = first.filter((file) => second.has(file)).length;
  assert.ok(unchanged > first.length * 0.9, `${unchanged} of ${first.length} modules are unchanged`);
});

test("Muster starts if the folder for compiled code cannot be written", async (t) => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, "compiled-code"), "");
  await startAndStop(t, directory);
});
