/** The value below which `share` of the values lie; NaN if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The median of the rounds' ratios: other work on the machine affects both sides of a round. */
export function medianRatio(values: readonly number[], others: readonly number[]): number {
  return median(values.map((value, round) => value / (others[round] ?? Number.NaN)));
}

export interface Figure {
  name: string;
  /** One for each column; a number is formatted. */
  values: readonly (string | number)[];
  /** The target, and what else was seen. */
  note?: string;
  /** Absent: the figure has no target. */
  isReached?: boolean | undefined;
}

/** Prints a line. A missed target fails the process. */
export function print({ name, values, note = "", isReached }: Figure): void {
  const cells = values.map((value) => (typeof value === "number" ? format(value) : value).padStart(11));
  const verdict = isReached === undefined ? "" : isReached ? " pass" : " MISS";
  console.log(`${name.padEnd(60)}${cells.join(" ")}  ${note}${verdict}`.trimEnd());
  if (isReached === false) process.exitCode = 1;
}

/** A figure that may be at most its target, if it has one. */
export function printAtMost(name: string, value: number, most: number | undefined, unit: string): void {
  const target = {
    note: `at most ${most?.toLocaleString("en")} ${unit}`,
    isReached: value <= (most ?? value),
  };
  print({ name, values: [`${format(value)} ${unit}`], ...(most !== undefined && target) });
}

/** Three significant digits. */
export function format(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(value >= 10 ? 1 : 2);
}

export function ms(value: number): string {
  return `${format(value)} ms`;
}
