import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { temporaryDirectory } from "@muster/testing";
import { test } from "vitest";
import { TestProcess } from "./testing/process.ts";

/** Writes the URL of each loaded module to a file. */
const listing = (path: string) => `
  import { appendFileSync } from "node:fs";
  import { registerHooks } from "node:module";
  registerHooks({
    load(url, context, next) {
      appendFileSync(${JSON.stringify(path)}, url + "\\n");
      return next(url, context);
    },
  });
`;

test("a server loads nothing that draws or encodes videos: only the processes that render do", async (t) => {
  const directory = await temporaryDirectory(t);
  const list = join(directory, "modules");
  const hooks = join(directory, "hooks.mjs");
  writeFileSync(hooks, listing(list));
  const muster = new TestProcess(t, {
    ...{ PORT: "0", DATA_DIR: join(directory, "data") },
    NODE_OPTIONS: `--import ${pathToFileURL(hooks)}`,
  });
  await muster.printed(/running at/);
  const modules = readFileSync(list, "utf8").split("\n");
  const of = (pattern: RegExp) => modules.filter((url) => pattern.test(url));
  assert.equal(of(/packages\/video\/src\/index\.ts$/).length, 1, "the recorder is part of the server");
  assert.deepEqual(of(/napi-rs|libav|mediabunny|xterm|fontsource|google-fonts|twemoji/), []);
  assert.deepEqual(of(/packages\/video\/src\/(?!index|child)/), []);
  assert.deepEqual(
    of(/prom-client|packages\/metrics\/src\/(registry|server|event-loop)/),
    [],
    "nor what measures",
  );
});
