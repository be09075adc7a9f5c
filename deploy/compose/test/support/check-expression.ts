import { commonMetrics, type Metric, metricTable } from "./metric-table.ts";
import { type LabelMatcher, namesIn } from "./promql.ts";

/** The labels that Prometheus adds to every series that it scrapes. */
const targetLabels = ["job", "instance"];

const known: Readonly<Record<string, Metric>> = { ...metricTable, ...commonMetrics };

/** The mistakes in an expression: metrics, labels and values that no process exposes. Throws if it is not PromQL. */
export function problemsOf(expression: string): string[] {
  const { selectors, grouping } = namesIn(expression);
  const found = selectors.map(({ metric, matchers }) => ({
    metric,
    matchers,
    definition: definitionOf(metric),
  }));
  const labels = new Set(targetLabels);
  const problems = found.flatMap(({ metric, matchers, definition }) => {
    if (definition === undefined) return [`no process has ${metric}`];
    for (const label of Object.keys(definition.labels)) labels.add(label);
    return matchers.flatMap((matcher) => problemsOfMatcher(metric, definition, matcher));
  });
  const unknown = grouping.filter((label) => !labels.has(label));
  return [...problems, ...unknown.map((label) => `no metric of the expression has the label ${label}`)];
}

/** A histogram has three metrics; only its buckets have `le`. */
function definitionOf(name: string): Metric | undefined {
  const [, base = "", suffix] = /^(.+)_(bucket|sum|count)$/.exec(name) ?? [];
  const histogram = known[base];
  if (histogram?.type === "histogram") {
    return suffix === "bucket" ? { ...histogram, labels: { ...histogram.labels, le: "bounded" } } : histogram;
  }
  return known[name]?.type === "histogram" ? undefined : known[name];
}

function problemsOfMatcher(
  metric: string,
  { labels }: Metric,
  { label, operator, value }: LabelMatcher,
): string[] {
  if (targetLabels.includes(label)) return [];
  const values = labels[label];
  if (values === undefined) return [`${metric} has no label ${label}`];
  if (values === "bounded") return [];
  const wanted = operator.endsWith("~") ? value.split("|") : [value];
  const impossible = wanted.filter((each) => !values.some((possible) => matches(possible, each, operator)));
  return impossible.map((each) => `${label} of ${metric} is never ${each}`);
}

function matches(possible: string, wanted: string, operator: string): boolean {
  return operator.endsWith("~") ? new RegExp(`^(?:${wanted})$`).test(possible) : possible === wanted;
}
