import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { temporaryDirectory } from "@muster/testing";
import { rolldown } from "rolldown";
import { test } from "vitest";
import { buildPackage } from "./build-package.ts";

const execute = promisify(execFile);
const compiler = resolve(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");
const maxBytes = 15 * 1024;

const program = `
import { Muster, MusterError, type StreamEvent } from "@muster/client";
import { EventFold } from "@muster/client/fold";

const muster = new Muster({ baseUrl: "http://127.0.0.1:9", token: "t", retryForMs: 0 });
const turn = muster.sessions.start(
  { agentSlug: "a", trigger: { triggerName: "t", input: { list: [1] } } },
  { tools: { find: async ({ day }: { day?: string }) => ({ day }) }, signal: AbortSignal.timeout(60_000) },
);
const fold = new EventFold();
const take = (event: StreamEvent) => fold.take(event);
try {
  for await (const event of turn) take(event);
} catch (error) {
  console.log(error instanceof MusterError && error.code satisfies string);
}
`;

const tsconfig = {
  compilerOptions: {
    ...{ target: "es2022", lib: ["es2022", "dom", "dom.iterable"], module: "nodenext", types: [] },
    ...{ strict: true, exactOptionalPropertyTypes: true, outDir: "out" },
  },
};

const hooks = `
import { Muster } from "@muster/client";
import { SessionStore, useSession, useThread } from "@muster/react";

const muster = new Muster({ baseUrl: "http://127.0.0.1:9", token: "t" });
export function useStatus(): string[] {
  return [useSession(muster, "s", { tools: {} }).status, useThread(muster, "a", "t").status];
}
console.log(new SessionStore(muster, "s").getSnapshot().status satisfies string);
`;

test("the published packages compile in a strict program for browsers, run, and need none but React and the client", async (t) => {
  const folder = await temporaryDirectory(t);
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@muster"), { recursive: true });
  const client = await buildPackage("client", join(modules, "@muster/client"));
  const react = await buildPackage("react", join(modules, "@muster/react"));
  for (const manifest of [client, react])
    assert.ok(!("dependencies" in manifest) && !("private" in manifest));
  assert.deepEqual(client.peerDependencies, {});
  assert.deepEqual(react.peerDependencies, { react: ">=19", "@muster/client": `^${client.version}` });
  for (const name of ["react", "@types"])
    await symlink(resolve(import.meta.dirname, "../../../node_modules", name), join(modules, name));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "program.ts"), program);
  await writeFile(join(folder, "hooks.ts"), hooks);
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  const node = (...words: string[]) => execute(process.execPath, words, { cwd: folder });
  await node(compiler, "-p", ".").catch(({ stdout }: { stdout?: string }) => assert.fail(stdout));
  assert.equal((await node("out/program.js")).stdout, "CONNECTION_LOST\n");
  assert.equal((await node("out/hooks.js")).stdout, "loading\n");
  const bundle = await rolldown({
    input: join(folder, "out/hooks.js"),
    platform: "browser",
    external: ["react"],
  });
  t.onTestFinished(() => bundle.close());
  assert.deepEqual((await bundle.generate()).output[0].imports, ["react"]);
});

test("in a page, the client has less than 15 KB, and imports nothing", async (t) => {
  const input = join(import.meta.dirname, "../src/index.ts");
  const bundle = await rolldown({ input, platform: "browser" });
  t.onTestFinished(() => bundle.close());
  const { output } = await bundle.generate({ format: "esm", minify: true });
  const [chunk] = output;
  assert.equal(output.length, 1);
  assert.deepEqual([chunk.imports, chunk.dynamicImports], [[], []]);
  const bytes = gzipSync(chunk.code).length;
  assert.ok(bytes < maxBytes, `${bytes} bytes`);
});
