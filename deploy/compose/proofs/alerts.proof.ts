// The scrape configuration and the alert rules in promtool itself. `npm run test:alerts`
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { test } from "vitest";
import { missing } from "./missing.ts";

const cwd = resolve(import.meta.dirname, "../prometheus");
const checks: Record<string, string[]> = {
  "Prometheus accepts the scrape configuration": ["check", "config", "prometheus.yaml"],
  "the alert rules have no fault that promtool knows": [
    ...["check", "rules", "--lint=all", "--lint-fatal", "muster.rules.yaml"],
  ],
  "each alert fires on the data of its problem, and on no other": ["test", "rules", "muster.rules.test.yaml"],
};

for (const [title, options] of Object.entries(checks)) {
  test(title, () => {
    const { error, status, stdout, stderr } = spawnSync("promtool", options, { cwd, encoding: "utf8" });
    if (error) throw missing("promtool", "prometheus");
    assert.equal(status, 0, stdout + stderr);
  });
}
