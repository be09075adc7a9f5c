import assert from "node:assert/strict";
import { compileDefinition } from "@muster/language/compile";
import { test } from "vitest";
import { readOptions } from "./options.ts";
import { formatTable, row, rowWithRatio } from "./report.ts";
import { brokenDefinition, sampleSize, soundDefinition } from "./sample.ts";

test("the sample definition compiles and has the size that the report states", () => {
  const sample = soundDefinition();
  const compiled = compileDefinition(sample);
  assert.ok(compiled.ok, JSON.stringify(compiled.issues, undefined, 2));
  assert.equal(sample.protocol.split("\n").length, sampleSize.lines);
  assert.equal(sample.prompts.length, sampleSize.prompts);
  assert.ok(sample.protocol.split("\n").filter((line) => line.startsWith("#")).length < 10);
});

test("the broken sample has exactly the stated number of errors, of many kinds", () => {
  const errors = compileDefinition(brokenDefinition()).issues.filter(({ severity }) => severity === "error");
  const mistakes = new Set(errors.map(({ message }) => /^Line \d+/.exec(message)?.[0]));
  assert.equal(mistakes.size, sampleSize.errors);
  assert.ok(new Set(errors.map(({ code }) => code)).size >= 6);
});

test("a figure is compared with its target and shown next to the yardstick of the same run", () => {
  const table = formatTable([row("compile", 4, 5, 2), row("validate", 16, 15), row("print", 1)]);
  const lines = table.split("\n");
  assert.match(lines[1] ?? "", /^compile +4\.00 +2\.00 +2\.00 +5 +pass$/);
  assert.match(lines[2] ?? "", /^validate +16\.0 +15 +FAIL$/);
  assert.match(lines[3] ?? "", /^print +1\.00$/);
  const ratios = [1.3, 1.4].map((ratio) =>
    rowWithRatio("compile", { value: 6, yardstick: 5, ratio }, { value: 5, ratio: 1.3 }),
  );
  assert.deepEqual(
    ratios.map(({ target }) => target?.reached),
    [true, false],
  );
});

test("unknown flags and invalid numbers are refused", () => {
  assert.deepEqual(readOptions(["--quick", "--seed", "7"]), { quick: true, count: 1_000, seed: 7 });
  assert.throws(() => readOptions(["--count", "many"]), /whole number/);
  assert.throws(() => readOptions(["--fast"]), /fast/);
});
