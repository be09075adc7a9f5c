import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { temporaryDirectory } from "@muster/testing";
import fc from "fast-check";
import { describe, test } from "vitest";
import { keyOf } from "../query/merge.ts";
import { type Packed, Slabs } from "../query/slabs.ts";
import { RunFile } from "./run-file.ts";

describe("the file of an index build", () => {
  test("all runs come back as they were written, also with keys longer than a block", async (t) => {
    const directory = await temporaryDirectory(t);
    const length = fc.oneof({ weight: 9, arbitrary: fc.nat(300) }, fc.constantFrom(65_524, 65_525, 200_000));
    const row = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    const entry = fc.tuple(length, fc.nat(255), row);
    fc.assert(
      fc.property(fc.array(fc.array(entry, { maxLength: 30 }), { maxLength: 4 }), (runs) => {
        const file = new RunFile(directory, "runs");
        const slabs = new Slabs();
        const written = runs.map((entries) =>
          entries.map(([bytes, fill, at]) => slabs.pack(Buffer.alloc(bytes, fill), Buffer.alloc(0), at)),
        );
        for (const entries of written) {
          for (const each of entries) file.append(each);
          file.endRun();
        }
        const show = (each: Packed) => `${keyOf(each).toString("latin1")} ${each.row}`;
        const read = file.runs().map((entries) => Array.from(entries, show));
        file.close();
        assert.deepEqual(
          read,
          written.map((entries) => entries.map(show)),
        );
      }),
      { numRuns: 50 },
    );
  });

  test("it has no name, so that nothing remains of it after a crash", async (t) => {
    const directory = await temporaryDirectory(t);
    const file = new RunFile(directory, "runs");
    assert.deepEqual(readdirSync(directory), []);
    file.close();
  });
});
