import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { problemsOf } from "./support/check-expression.ts";
import { folder } from "./support/compose-file.ts";

const read = (path: string) => readFileSync(join(folder, path), "utf8");

const rule = z.strictObject({
  alert: z.string().regex(/^Muster[A-Z][A-Za-z]+$/),
  expr: z.string(),
  for: z
    .string()
    .regex(/^\d+m$/)
    .optional(),
  labels: z.strictObject({ severity: z.enum(["critical", "warning"]) }),
  annotations: z.strictObject({
    summary: z.string().regex(/\.$/).max(120),
    description: z.string().regex(/\.$/),
    runbook_url: z.url({ protocol: /^https$/ }),
  }),
});
const ruleFile = z.strictObject({
  groups: z.array(
    z.strictObject({ name: z.string().regex(/^muster-[a-z-]+$/), rules: z.array(rule).min(1) }),
  ),
});

const { groups } = ruleFile.parse(parse(read("prometheus/muster.rules.yaml")));
const alerts = groups.flatMap(({ rules }) =>
  rules.map((each): [string, z.infer<typeof rule>] => [each.alert, each]),
);
const page = read("../../docs/alerts.md");
const names = alerts.map(([name]) => name);

const alertTest = z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) });
const { tests } = z
  .object({ tests: z.array(z.object({ alert_rule_test: z.array(alertTest) })) })
  .parse(parse(read("prometheus/muster.rules.test.yaml")));

describe("the alert rules", () => {
  test("there are at least ten, each with a name of its own", () => {
    assert.ok(names.length >= 10);
    assert.equal(new Set(names).size, names.length);
  });

  test.each(alerts)("%s names only metrics and labels that the processes expose", (_, { expr }) => {
    assert.deepEqual(problemsOf(expr), []);
  });

  test.each(alerts)("%s shows only labels that its expression keeps", (_, { expr, annotations }) => {
    for (const [, label = ""] of `${annotations.summary} ${annotations.description}`.matchAll(
      /\$labels\.(\w+)/g,
    )) {
      const isAggregated = /^(?:sum|max|histogram_quantile)/.test(expr.trim());
      const isKept = isAggregated ? new RegExp(`by \\([^)]*\\b${label}\\b`).test(expr) : true;
      assert.ok(isKept, label);
    }
  });

  test.each(alerts)(
    "%s has a section in docs/alerts.md, which its runbook URL leads to",
    (name, { annotations }) => {
      assert.ok(annotations.runbook_url.endsWith(`/docs/alerts.md#${name.toLowerCase()}`));
      const [, section = ""] =
        new RegExp(`^### ${name}\\n\\n([\\s\\S]*?)\\n(?:##|$)`, "m").exec(`${page}\n`) ?? [];
      assert.ok(section.length > 200);
    },
  );

  test("docs/alerts.md lists exactly these alerts, with their severity and delay", () => {
    const listed = [...page.matchAll(/^\| \[(\w+)\]\(#(\w+)\) \| (\w+) \| ([^|]+) \|$/gm)].map(
      ([, ...cells]) => cells,
    );
    const expected = alerts.map(([name, { labels, for: delay }]) => {
      return [name, name.toLowerCase(), labels.severity, delay ? `${delay.slice(0, -1)} min` : "at once"];
    });
    assert.deepEqual(listed, expected);
    assert.deepEqual([...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name).sort(), names.toSorted());
  });

  test("promtool's tests contain for each alert data at which it fires, and data at which it does not", () => {
    const cases = tests.flatMap((each) => each.alert_rule_test);
    const firing = cases.filter(({ exp_alerts }) => exp_alerts.length > 0).map(({ alertname }) => alertname);
    const silent = cases
      .filter(({ exp_alerts }) => exp_alerts.length === 0)
      .map(({ alertname }) => alertname);
    assert.deepEqual([...new Set(firing)].sort(), names.toSorted());
    assert.deepEqual([...new Set(silent)].sort(), names.toSorted());
  });
});

describe("the check of expressions", () => {
  test.each([
    ["muster_unknown_total > 1", "no process has muster_unknown_total"],
    ["sum by (project) (muster_ready)", "no metric of the expression has the label project"],
    ['muster_ready{color="red"}', "muster_ready has no label color"],
    [
      'muster_event_loop_delay_seconds{quantile="0.9"}',
      "quantile of muster_event_loop_delay_seconds is never 0.9",
    ],
    ["rate(muster_first_delta_seconds[5m])", "no process has muster_first_delta_seconds"],
    ["muster_ready_bucket", "no process has muster_ready_bucket"],
  ])("%s: %s", (expression, problem) => {
    expect(problemsOf(expression)).toContain(problem);
  });

  test.each(["sum(", "muster_ready ==", 'muster_ready{job="a"', "rate(muster_ready[5])(", "{}"])(
    "%s is refused",
    (expression) => {
      assert.throws(() => problemsOf(expression));
    },
  );
});
