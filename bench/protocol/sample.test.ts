import assert from "node:assert/strict";
import { compileDefinition } from "@muster/language/compile";
import { test } from "vitest";
import { brokenDefinition, sampleSize, soundDefinition } from "./sample.ts";

test("the sample definition compiles and has the size that the benchmark prints", () => {
  const sample = soundDefinition();
  const compiled = compileDefinition(sample);
  assert.ok(compiled.ok, JSON.stringify(compiled.issues, undefined, 2));
  assert.equal(sample.protocol.split("\n").length, sampleSize.lines);
  assert.equal(sample.prompts.length, sampleSize.prompts);
});

test("the broken sample has exactly the printed number of errors", () => {
  const errors = compileDefinition(brokenDefinition()).issues.filter(({ severity }) => severity === "error");
  const lines = new Set(errors.map(({ message }) => /^Line \d+/.exec(message)?.[0]));
  assert.equal(lines.size, sampleSize.errors);
});
