import type { Output } from "./output.ts";

/** Prints a table with headings. The last column is not padded. */
export function showTable(
  out: Output,
  headings: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
): void {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ");
  out.line(out.style("bold", lineOf(headings)));
  for (const row of rows) out.line(lineOf(row));
}
