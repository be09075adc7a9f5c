/** One value of a series. */
export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** A metric with its samples; of a histogram, also those of `_bucket`, `_sum` and `_count`. */
export interface Family {
  help: string;
  type: string;
  samples: Sample[];
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;
const number = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|NaN|[+-]Inf)$/i;

/**
 * Reads Prometheus' text format, version 0.0.4. Stricter than Prometheus: each metric has one HELP and one TYPE before its
 * samples, no series appears twice, and the buckets of a histogram are complete and cumulative. Throws with the line.
 */
export function readExposition(text: string): Map<string, Family> {
  if (!text.endsWith("\n")) throw new Error("The last line does not end");
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let current: { name: string; family: Family } | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    if (line === "") continue;
    if (line.startsWith("# HELP ")) {
      const [, name = "", help = ""] = /^# HELP (\S+) (.*)$/.exec(line) ?? fail(line, "not a HELP line");
      if (!metricName.test(name) || families.has(name)) fail(line, "not a new metric");
      current = { name, family: { help, type: "", samples: [] } };
      families.set(name, current.family);
    } else if (line.startsWith("# TYPE ")) {
      const [, name, type = ""] =
        /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line) ?? fail(line, "not a TYPE line");
      if (current?.name !== name || current?.family.type !== "") fail(line, "TYPE does not follow its HELP");
      else current.family.type = type;
    } else {
      const sample = readSample(line);
      if (current === undefined || !belongs(sample.name, current.name, current.family.type))
        return fail(line, "a sample of another metric");
      const series = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      if (seen.has(series)) fail(line, "the series appears twice");
      seen.add(series);
      if (current.family.type === "counter" && !(sample.value >= 0)) fail(line, "a counter below zero");
      current.family.samples.push(sample);
    }
  }
  for (const [name, family] of families) if (family.type === "histogram") checkHistogram(name, family);
  return families;
}

function readSample(line: string): Sample {
  const [, name = "", labels = "", value = ""] = sampleLine.exec(line) ?? fail(line, "not a sample");
  if (!number.test(value)) fail(line, "not a number");
  return { name, labels: readLabels(line, labels), value: toNumber(value) };
}

function readLabels(line: string, text: string): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  for (let at = 0; at < text.length; ) {
    labelPair.lastIndex = at;
    const [pair, label = "", value = ""] = labelPair.exec(text) ?? fail(line, "not labels");
    if (label in found) fail(line, `${label} appears twice`);
    found[label] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
    at += pair.length;
  }
  return found;
}

function toNumber(text: string): number {
  return /inf$/i.test(text) ? Number(`${text.slice(0, 1)}Infinity`) : Number(text);
}

function belongs(sample: string, metric: string, type: string): boolean {
  if (type === "") return false;
  if (type !== "histogram") return sample === metric;
  return ["_bucket", "_sum", "_count"].some((end) => sample === metric + end);
}

/** Each series has all buckets up to `+Inf`, cumulative, and `_count` is the last one. */
function checkHistogram(name: string, { samples }: Family): void {
  const bySeries = Map.groupBy(samples, ({ labels: { le: _, ...rest } }) =>
    JSON.stringify(Object.entries(rest).sort()),
  );
  for (const [series, ofSeries] of bySeries) {
    const buckets = ofSeries.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => toNumber(labels.le ?? ""));
    const counts = buckets.map(({ value }) => value);
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY) fail(series, "no +Inf bucket");
    if (!isAscending(bounds) || new Set(bounds).size !== bounds.length) fail(series, "bounds do not ascend");
    if (!isAscending(counts)) fail(series, "buckets are not cumulative");
    const count = ofSeries.find((sample) => sample.name === `${name}_count`)?.value;
    const sum = ofSeries.find((sample) => sample.name === `${name}_sum`);
    if (count !== counts.at(-1) || sum === undefined)
      fail(series, "_count and _sum do not match the buckets");
  }
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((value, index) => value >= (numbers[index - 1] ?? Number.NEGATIVE_INFINITY));
}

function fail(line: string, problem: string): never {
  throw new Error(`Not a valid exposition, ${problem}: ${line}`);
}
