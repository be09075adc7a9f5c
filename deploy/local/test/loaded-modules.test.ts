import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { temporaryDirectory, until } from "@muster/testing";
import { test } from "vitest";
import { TestProcess } from "./support/process.ts";

const main = join(import.meta.dirname, "../src/main.ts");

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

/** Not needed before the first response, and therefore not loaded with everything else: each takes part of a start. */
const lazy: Record<string, RegExp> = {
  "the workforce and the recorder":
    /services\/(?:workforce|recorder)\/src\/(?!config)|packages\/computers\/src\/(?!config)/,
  "the HTTP client": /node_modules\/undici\//,
  "the packages of model providers": /node_modules\/(@ai-sdk\/(?!provider\/)|zod\/)/,
  "what compiles validators": /node_modules\/typebox\/build\/schema\//,
  "what verifies JWTs": /node_modules\/jose\//,
  "the gRPC library": /node_modules\/@grpc\//,
  "the compiler of definitions": /node_modules\/yaml\/|packages\/language\/src\/compile-definition/,
  "what reads agent folders": /packages\/language\/src\/folder\/|node_modules\/jsonc-parser\//,
  "commands of the shell": /node_modules\/just-bash\//,
};

test("a server loads what the first response does not need only later and by itself, and never what draws or encodes videos", async (t) => {
  const directory = await temporaryDirectory(t);
  const [list, hooks] = [join(directory, "modules"), join(directory, "hooks.mjs")];
  writeFileSync(hooks, listing(list));
  const modules = () => readFileSync(list, "utf8").split("\n");
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(hooks)}` };
  // Without starting anything, so that the time at which the list is read does not matter.
  const everything = new TestProcess(t, env, [join(import.meta.dirname, "../src/run.ts")]);
  assert.equal(await everything.exitCode(), 0, everything.output);
  assert.ok(modules().length > 1_000, `${modules().length} modules`);
  for (const [what, pattern] of Object.entries(lazy)) {
    assert.deepEqual(
      modules().filter((url) => pattern.test(url)),
      [],
      what,
    );
  }
  const muster = new TestProcess(t, { ...env, PORT: "0", DATA_DIR: join(directory, "data") }, [main]);
  await muster.printed(/running at/);
  const isLoaded = (pattern: RegExp) => modules().some((url) => pattern.test(url));
  await until("the HTTP client is loaded", () => isLoaded(/node_modules\/undici\/index\.js/));
  await until("validators can be compiled", () => isLoaded(/node_modules\/typebox\/build\/schema\/compile/));
  await until("JWTs can be verified", () => isLoaded(/node_modules\/jose\/.*jwt\/verify/));
  await until("pre-built agents are read", () => isLoaded(/node_modules\/jsonc-parser\//));
  await until("the workforce is loaded", () => isLoaded(/services\/workforce\/src\/service\.ts/));
  await until("the recorder is loaded", () => isLoaded(/packages\/video\/src\/index\.ts$/));
  for (const never of [
    /napi-rs|libav|mediabunny|xterm|fontsource|google-fonts|twemoji/,
    /packages\/video\/src\/(?!index|child)/,
    // Measures a server, which this one does not do.
    /prom-client|packages\/metrics\/src\/(registry|server|event-loop)/,
  ])
    assert.deepEqual(
      modules().filter((url) => never.test(url)),
      [],
    );
});
