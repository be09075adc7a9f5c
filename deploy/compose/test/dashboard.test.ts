import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { buildDashboard } from "../dashboard/dashboard.ts";
import { problemsOf } from "./support/check-expression.ts";
import { folder, readComposeFile } from "./support/compose-file.ts";
import { makeEnv } from "./support/env-file.ts";
import { metricTable } from "./support/metric-table.ts";
import { namesIn } from "./support/promql.ts";

const text = readFileSync(join(folder, "grafana/muster.json"), "utf8");
const position = z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() });
const row = z.object({ id: z.number(), type: z.literal("row"), title: z.string(), gridPos: position });
const target = z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string() });
const graph = z.object({
  id: z.number(),
  type: z.enum(["timeseries", "stat"]),
  title: z.string(),
  description: z.string(),
  gridPos: position,
  datasource: z.object({ type: z.literal("prometheus"), uid: z.literal("$datasource") }),
  fieldConfig: z.object({ defaults: z.object({ unit: z.string().min(1) }) }),
  targets: z.array(target).min(1),
});
const dashboard = z
  .object({
    uid: z.string(),
    schemaVersion: z.number(),
    panels: z.array(z.discriminatedUnion("type", [row, graph])),
    templating: z.object({
      list: z.array(z.object({ name: z.string(), type: z.string(), query: z.string() })),
    }),
  })
  .parse(JSON.parse(text));
const graphs = dashboard.panels.filter((panel) => panel.type !== "row");
const byTitle = graphs.map((panel): [string, z.infer<typeof graph>] => [panel.title, panel]);
const expressions = graphs.flatMap(({ targets }) => targets.map(({ expr }) => plain(expr)));

/** The expression as Grafana sends it. */
function plain(expression: string): string {
  return expression.replaceAll("$__rate_interval", "1m").replaceAll(/\$(job|instance)\b/g, ".+");
}

describe("the dashboard", () => {
  test("grafana/muster.json is up to date (node deploy/compose/dashboard/generate.ts)", () => {
    assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(buildDashboard())));
  });

  test.each(byTitle)(
    "every query of %s is PromQL that names only metrics and labels of the processes",
    (_, panel) => {
      for (const { expr, legendFormat } of panel.targets) {
        assert.deepEqual(problemsOf(plain(expr)), []);
        const { grouping } = namesIn(plain(expr));
        for (const [, label = ""] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
          const isKept =
            grouping.length === 0 ? ["job", "instance"].includes(label) : grouping.includes(label);
          assert.ok(isKept, `${label} is not in the result of ${expr}`);
        }
      }
    },
  );

  test.each(byTitle)("%s has a description and a unit", (_, panel) => {
    assert.match(panel.description, /^\S.{20,}\.$/);
    assert.match(panel.fieldConfig.defaults.unit, /^(?:s|short|reqps|ops|percentunit|currencyUSD|bytes)$/);
  });

  test("every metric of the product is shown", () => {
    const shown = new Set(
      expressions
        .flatMap((each) => namesIn(each).selectors)
        .map(({ metric }) => metric.replace(/_(bucket|count)$/, "")),
    );
    assert.deepEqual(
      Object.keys(metricTable).filter((metric) => !shown.has(metric)),
      [],
    );
  });

  test("titles and ids are unique, and no panel covers another", () => {
    const ids = dashboard.panels.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    for (const [index, { gridPos: a, title }] of dashboard.panels.entries()) {
      assert.ok(a.x >= 0 && a.x + a.w <= 24, title);
      for (const { gridPos: b } of dashboard.panels.slice(index + 1)) {
        const isApart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
        assert.ok(isApart, title);
      }
    }
  });

  test("its variables choose the data source, the processes and the instances", () => {
    const { list } = dashboard.templating;
    assert.deepEqual(
      list.map(({ name }) => name),
      ["datasource", "job", "instance"],
    );
    const used = new Set(text.match(/\$\{?(?!__)\w+\}?/g)?.map((each) => each.replaceAll(/[${}]/g, "")));
    assert.deepEqual([...used].sort(), list.map(({ name }) => name).sort());
    for (const { type, query } of list) {
      const [, selector] = /^label_values\((.+), \w+\)$/.exec(query) ?? [];
      if (type === "query") assert.deepEqual(problemsOf(plain(selector ?? "")), []);
    }
  });

  test("its schema version is one that Grafana 11 and 12 read", () => {
    assert.ok(dashboard.schemaVersion >= 36 && dashboard.schemaVersion <= 39);
  });
});

describe("Grafana in compose.yaml", () => {
  const { grafana } = readComposeFile(makeEnv()).services;
  const provisioning = (path: string): unknown =>
    parse(readFileSync(join(folder, "grafana/provisioning", path), "utf8"));

  test("the provisioned data sources are the Prometheus and the Alertmanager of compose.yaml", () => {
    const source = z.object({ type: z.string(), url: z.string(), isDefault: z.boolean().optional() });
    const { datasources } = z
      .object({ datasources: z.array(source) })
      .parse(provisioning("datasources/prometheus.yaml"));
    assert.deepEqual(
      datasources.map(({ type, url, isDefault }) => [type, url, isDefault]),
      [
        ["prometheus", "http://prometheus:9090", true],
        ["alertmanager", "http://alertmanager:9093", undefined],
      ],
    );
  });

  test("the provisioned folder of dashboards is the one that muster.json is mounted in, as the home page", () => {
    const provider = z.object({ options: z.object({ path: z.string() }) });
    const { providers } = z
      .object({ providers: z.array(provider) })
      .parse(provisioning("dashboards/muster.yaml"));
    const path = providers[0]?.options.path;
    assert.ok(grafana);
    assert.ok(grafana.volumes.includes(`./grafana/muster.json:${path}/muster.json:ro`));
    assert.equal(grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH, `${path}/muster.json`);
  });
});
