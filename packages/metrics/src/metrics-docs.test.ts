import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "vitest";
import { definitionOf, type MetricName, metricNames } from "./definitions.ts";

const page = resolve(import.meta.dirname, "../../../docs/metrics.md");

function rowOf(name: MetricName): string {
  const { type, help, labels, processes } = definitionOf(name);
  const named = Object.entries(labels).map(
    ([label, values]) => `\`${label}\`${values === "bounded" ? "" : ` (${values.join(", ")})`}`,
  );
  const where = processes.length === 6 ? "all" : processes.join(", ");
  return `| \`${name}\` | ${type} | ${named.join(", ")} | ${where} | ${help} |`;
}

test("the page about metrics lists exactly the metrics that there are, with their labels and processes", () => {
  const rows = readFileSync(page, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `muster_"));
  assert.deepEqual(rows, metricNames.map(rowOf));
});
