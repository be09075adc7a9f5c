import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "vitest";
import { meaningOfCode, statusOfCode, streamErrorTypes } from "./index.ts";

const page = await readFile(new URL("../../../docs/errors.md", import.meta.url), "utf8");

describe("docs/errors.md", () => {
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

  test("docs/errors.md lists exactly the error types of streams, in the order of the list", () => {
    const documented = [...page.matchAll(/^\| *`([a-z_]+)` *\| *\S/gm)].map(([, type]) => type);
    assert.deepEqual(documented, [...streamErrorTypes]);
  });
});
