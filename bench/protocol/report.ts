/** One line of the table. */
export interface Row {
  metric: string;
  /** Milliseconds, except where the metric says otherwise. */
  value: number;
  /** The same metric for the YAML library on the same text, in the same run. */
  yardstick?: number;
  /** `value` divided by the yardstick. */
  ratio?: number;
  target?: { text: string; reached: boolean };
}

export function row(metric: string, value: number, atMost?: number, yardstick?: number): Row {
  return {
    metric,
    value,
    ...(yardstick !== undefined && { yardstick, ratio: value / yardstick }),
    ...(atMost !== undefined && { target: { text: `${atMost}`, reached: value <= atMost } }),
  };
}

/** A row whose target is met by the value or, on a slower machine, by its ratio to the yardstick. */
export function rowWithRatio(
  metric: string,
  figures: { value: number; yardstick: number; ratio: number },
  atMost: { value: number; ratio: number },
): Row {
  const reached = figures.value <= atMost.value || figures.ratio <= atMost.ratio;
  return { metric, ...figures, target: { text: `${atMost.value} or ${atMost.ratio}x`, reached } };
}

/** The rows as an aligned table. */
export function formatTable(rows: readonly Row[]): string {
  const header = ["", "here", "yaml", "here / yaml", "at most", ""];
  const lines = rows.map(({ metric, value, yardstick, ratio, target }) => [
    metric,
    formatNumber(value),
    yardstick === undefined ? "" : formatNumber(yardstick),
    ratio === undefined ? "" : ratio.toFixed(2),
    target?.text ?? "",
    target === undefined ? "" : target.reached ? "pass" : "FAIL",
  ]);
  const all = [header, ...lines];
  const widths = header.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
  return all
    .map((cells) =>
      cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))),
    )
    .map((cells) => cells.join("  ").trimEnd())
    .join("\n");
}

function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(value >= 10 ? 1 : 2);
}
