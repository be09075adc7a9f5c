import type { LabelValues } from "./definitions.ts";

/** All series of a metric, if every label has a list of values; else none. */
export function combinations(labels: Readonly<Record<string, LabelValues>>): Array<Record<string, string>> {
  let found: Array<Record<string, string>> = [{}];
  for (const [label, values] of Object.entries(labels)) {
    if (values === "bounded") return [];
    found = found.flatMap((series) => values.map((value) => ({ ...series, [label]: value })));
  }
  return found;
}
