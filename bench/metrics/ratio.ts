import { median, percentile } from "../stream/statistics.ts";

const resamples = 2_000;

/** A value for each round of each start. */
export type Rounds = readonly (readonly number[])[];

/** The mean of several measurements of the same rounds. */
export function meanOf(measurements: readonly Rounds[]): Rounds {
  const [first = []] = measurements;
  return first.map((values, start) =>
    values.map((_, round) => {
      const sum = measurements.reduce((total, one) => total + (one[start]?.[round] ?? Number.NaN), 0);
      return sum / measurements.length;
    }),
  );
}

/**
 * How values compare with those of the same rounds in `base`: the median of the ratios, the interval that contains 95 % of
 * the medians of random samples of the starts and their rounds, the quartiles of the ratios, and the median of each start.
 */
export function compare(values: Rounds, base: Rounds, random: () => number = Math.random) {
  const ratios = values.map((ofStart, start) =>
    ofStart.map((value, round) => value / (base[start]?.[round] ?? Number.NaN)),
  );
  const sampled = <Item>(items: readonly Item[]): Item[] =>
    items.flatMap(() => items.slice(Math.floor(random() * items.length)).slice(0, 1));
  const medians = Array.from({ length: resamples }, () => median(sampled(ratios).flatMap(sampled)));
  const between = (all: readonly number[], share: number): [number, number] => [
    percentile(all, share),
    percentile(all, 1 - share),
  ];
  return {
    median: median(ratios.flat()),
    interval: between(medians, 0.025),
    quartiles: between(ratios.flat(), 0.25),
    starts: ratios.map(median),
  };
}

/** As one line. */
export function describe({ median, interval, quartiles, starts }: ReturnType<typeof compare>): string {
  const text = (value: number) => value.toFixed(3);
  const range = (values: readonly number[]) => values.map(text).join(" to ");
  return `${text(median)} (95 %: ${range(interval)}; quartiles ${range(quartiles)}; by start ${starts.map(text).join(" ")})`;
}
