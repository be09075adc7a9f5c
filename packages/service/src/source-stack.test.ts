import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { encodedMap, originalPositionFor, type SourceMapSegment, TraceMap } from "@jridgewell/trace-mapping";
import fc from "fast-check";
import { test } from "vitest";
import { sourceStack } from "./source-stack.ts";

const number = fc.integer({ min: 0, max: 70_000 });
const segment = fc.oneof(fc.tuple(number, fc.nat(2), number, number), fc.tuple(number));
const line = fc
  .uniqueArray(segment, { selector: ([column]) => column, maxLength: 8 })
  .map((segments): SourceMapSegment[] => segments.sort(([a], [b]) => a - b));

test("a stack names the places that the source map of its module names", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "muster-stacks-"));
  t.onTestFinished(() => rmSync(folder, { recursive: true }));
  let modules = 0;
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.array(fc.tuple(fc.nat(6), number)), (lines, places) => {
      modules += 1;
      const file = join(folder, `bundle-${modules}.mjs`);
      const map = new TraceMap({ version: 3, names: [], sources: ["a.ts", "b.ts", "c.ts"], mappings: lines });
      writeFileSync(`${file}.map`, JSON.stringify(encodedMap(map)));
      for (const [index, column] of places) {
        const place = `${pathToFileURL(file).href}:${index + 1}:${column + 1}`;
        const origin = originalPositionFor(map, { line: index + 1, column });
        const wanted =
          origin.source === null
            ? place
            : `${join(folder, origin.source)}:${origin.line}:${origin.column + 1}`;
        for (let again = 0; again < 2; again += 1)
          assert.equal(sourceStack(`Error: x\n    at f (${place})`), `Error: x\n    at f (${wanted})`);
      }
    }),
  );
});

test("a stack without maps stays unchanged", () => {
  const stack = "Error: x\n    at f (file:///nowhere/bundle.mjs:1:2)\n    at node:internal/x:1:2";
  assert.equal(sourceStack(stack), stack);
});
