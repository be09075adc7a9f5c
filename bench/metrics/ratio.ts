import { median, percentile } from "../stream/statistics.ts";

const resamples = 2_000;

/**
 * How the values of each round compare with those of the same round in `base`: the median of the ratios, their quartiles,
 * the interval that contains 95 % of the medians of random samples of the starts and their rounds, and each start's own.
 */
export function describe(
  starts: readonly number[][],
  base: readonly number[][],
  random = Math.random,
): string {
  const ratios = starts.map((values, start) =>
    values.map((value, round) => value / (base[start]?.[round] ?? Number.NaN)),
  );
  const all = ratios.flat();
  const sampled = <Item>(items: readonly Item[]): Item[] =>
    items.flatMap(() => items.slice(Math.floor(random() * items.length)).slice(0, 1));
  const medians = Array.from({ length: resamples }, () => median(sampled(ratios).flatMap(sampled)));
  const text = (value: number) => value.toFixed(3);
  const between = (values: readonly number[], share: number) =>
    `${text(percentile(values, share))} to ${text(percentile(values, 1 - share))}`;
  return (
    `${text(median(all))} of off (95 %: ${between(medians, 0.025)}); quartiles ${between(all, 0.25)}; ` +
    `by start ${ratios.map((values) => text(median(values))).join(" ")}`
  );
}
