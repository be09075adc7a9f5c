import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { test } from "vitest";
import { meaningOfCode, publicCodes, statusOfCode, streamErrorTypes } from "./index.ts";

const page = await readFile(new URL("../../../../docs/errors.md", import.meta.url), "utf8");

test("docs/errors.md lists exactly the public codes, with their statuses", () => {
  const rows = [...page.matchAll(/^\| *(\d{3}) *\| *`([A-Z_]+)` *\| *(\S.*?) *\|$/gm)];
  const documented = rows.map(([, status, code]) => [code, Number(status)]);
  assert.deepEqual(Object.fromEntries(documented), statusOfCode);
  assert.equal(documented.length, Object.keys(statusOfCode).length, "a code is listed twice");
});

test("docs/errors.md describes each code as the OpenAPI document does", () => {
  const rows = [...page.matchAll(/^\| *\d{3} *\| *`([A-Z_]+)` *\| *(\S.*?) *\|$/gm)];
  assert.deepEqual(Object.fromEntries(rows.map(([, code, meaning]) => [code, meaning])), meaningOfCode);
});

test("every code is created by a service", () => {
  const root = resolve(import.meta.dirname, "../../../..");
  const isTest = /\.test\.ts$|\/(testing|test)(\/|\.ts$)/;
  const files = globSync("services/*/src/**/*.ts", { cwd: root }).filter((file) => !isTest.test(file));
  const sources = files.map((file) => readFileSync(resolve(root, file), "utf8")).join("\n");
  const created = Object.keys(statusOfCode).filter((code) => sources.includes(`"${code}"`));
  assert.deepEqual(created, publicCodes);
});

test("docs/errors.md lists exactly the error types of streams, in the order of the list", () => {
  const documented = [...page.matchAll(/^\| *`([a-z_]+)` *\| *\S/gm)].map(([, type]) => type);
  assert.deepEqual(documented, [...streamErrorTypes]);
});
