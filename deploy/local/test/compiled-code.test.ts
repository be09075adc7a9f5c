import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
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

test("a start keeps the compiled code of all threads in the data folder, and later ones use it", async (t) => {
  const directory = await temporaryDirectory(t);
  const kept = async () => {
    const [version = ""] = await readdir(join(directory, "compiled-code"));
    const files = await readdir(join(directory, "compiled-code", version));
    return await Promise.all(
      files.map(
        async (name) => `${name} ${(await stat(join(directory, "compiled-code", version, name))).mtimeMs}`,
      ),
    );
  };
  await startAndStop(t, directory);
  const first = await kept();
  assert.ok(first.length > 1_000, `${first.length} modules`);
  await startAndStop(t, directory);
  const second = new Set(await kept());
  const unchanged = first.filter((file) => second.has(file)).length;
  assert.ok(unchanged > first.length * 0.9, `${unchanged} of ${first.length} modules are unchanged`);
});

/** Writes the modules that the main thread has loaded of Node itself when it ends. */
const listing = (path: string) => `
  import { writeFileSync } from "node:fs";
  import { isMainThread } from "node:worker_threads";
  if (isMainThread) process.on("exit", () => writeFileSync(${JSON.stringify(path)}, process.moduleLoadList.join("\\n")));
`;

test("a start with compiled code strips no types, and does not even load what could", async (t) => {
  const directory = await temporaryDirectory(t);
  const [data, list, hook] = [join(directory, "data"), join(directory, "list"), join(directory, "hook.mjs")];
  await mkdir(data);
  await writeFile(hook, listing(list));
  const stripper = async () => {
    await startAndStop(t, data, { NODE_OPTIONS: `--import ${pathToFileURL(hook)}` });
    return (await readFile(list, "utf8")).split("\n").filter((name) => name.includes("amaro"));
  };
  assert.notDeepEqual(await stripper(), [], "without compiled code");
  // On a busy machine, a start is stopped before or after it warms up; each one keeps the code of the modules that it loaded.
  let starts = 1;
  while ((await stripper()).length > 0) assert.ok(++starts < 5, `${starts} starts load the type stripper`);
});

test("Muster starts if the folder for compiled code cannot be written", async (t) => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, "compiled-code"), "");
  await startAndStop(t, directory);
});

test("the first start creates its data folder itself, readable by its owner only", async (t) => {
  const directory = join(await temporaryDirectory(t), "data");
  await startAndStop(t, directory);
  assert.equal((await stat(directory)).mode & 0o777, 0o700);
  assert.deepEqual((await readdir(directory)).sort(), ["blobs", "files", "secrets.key", "store"]);
});
