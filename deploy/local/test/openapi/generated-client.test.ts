import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { record, temporaryDirectory } from "@muster/testing";
import openapiTypescript, { astToString } from "openapi-typescript";
import { test } from "vitest";
import { readExample } from "../support/example.ts";
import { clientProgram } from "../support/openapi/client-program.ts";
import { readDocument } from "../support/openapi/document.ts";
import { startTestServer } from "../support/server.ts";

/** The folder of the packages that the program imports. */
const modules = resolve(fileURLToPath(import.meta.resolve("openapi-fetch")), "../../..");
const run = promisify(execFile);

const compilerOptions = {
  target: "es2024",
  lib: ["es2024", "dom"],
  module: "nodenext",
  types: ["node"],
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
};

test("a TypeScript client that is generated from the document compiles in strict mode and holds a conversation", async (t) => {
  const { client, url, key } = await startTestServer(t);
  await client.json(201, "POST", "/api/agents", await readExample("support-chat"));
  const directory = await temporaryDirectory(t);
  const document = JSON.stringify(await readDocument(client));
  const schema = astToString(await openapiTypescript(document, { silent: true }));
  await symlink(modules, join(directory, "node_modules"));
  await Promise.all([
    writeFile(join(directory, "package.json"), '{ "type": "module" }'),
    writeFile(join(directory, "schema.ts"), schema),
    writeFile(join(directory, "program.ts"), clientProgram),
    writeFile(join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] })),
  ]);
  const node = (...args: string[]) => run(process.execPath, args, { cwd: directory });
  await node(join(modules, "typescript/bin/tsc"), "-p", ".").catch((error: { stdout?: string }) => {
    assert.fail(error.stdout ?? String(error));
  });
  const { stdout } = await node("program.ts", url, key);
  const { text, messages, code } = record(JSON.parse(stdout));
  assert.match(String(text), /Hello there/);
  assert.deepEqual(messages, ["user", "assistant"]);
  assert.equal(code, "NOT_FOUND");
});
