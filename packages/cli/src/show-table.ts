import { stripVTControlCharacters } from "node:util";
import type { Output } from "./output.ts";

export interface Column {
  readonly heading: string;
  /** May be cut with "…" to fit the terminal. */
  readonly shrinks?: boolean;
  /** Left out if the table does not fit the terminal. */
  readonly isOptional?: boolean;
  /** An ISO 8601 time, which a terminal shows relative to now. */
  readonly isTime?: boolean;
}

const gap = "  ";
const minShrunkWidth = 8;

/**
 * Prints a table with headings. On a terminal it is made to fit: first optional columns are left out, then columns that
 * shrink are cut. Other readers get everything.
 */
export function showTable(
  out: Output,
  columns: readonly Column[],
  rows: ReadonlyArray<readonly string[]>,
): void {
  const table = fit(
    columns.map((column, index) => {
      const cells = rows.map((row) => onOneLine(row[index] ?? ""));
      return { column, cells: column.isTime ? cells.map((cell) => out.time(cell)) : cells };
    }),
    out.width,
  );
  const widths = table.map(widthOf);
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, index) => (index === cells.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join(gap);
  out.line(out.style("bold", lineOf(table.map(({ column }) => column.heading))));
  for (const index of rows.keys()) out.line(lineOf(table.map(({ cells }) => cells[index] ?? "")));
}

/** Names and values that users chose must not look like further rows or columns. */
function onOneLine(cell: string): string {
  return cell.replace(/[\r\n\t\v\f\u0085\u2028\u2029]+/g, " ");
}

interface Filled {
  readonly column: Column;
  readonly cells: readonly string[];
}

function fit(all: readonly Filled[], width: number): readonly Filled[] {
  let table = all;
  while (totalOf(table) > width) {
    const last = table.findLast(({ column }) => column.isOptional);
    if (last === undefined) break;
    table = table.filter((filled) => filled !== last);
  }
  while (totalOf(table) > width) {
    const shrinking = table.filter((filled) => filled.column.shrinks && widthOf(filled) > minShrunkWidth);
    const [widest] = shrinking.toSorted((left, right) => widthOf(right) - widthOf(left));
    if (widest === undefined) break;
    const target = Math.max(minShrunkWidth, widthOf(widest) - (totalOf(table) - width));
    table = table.map((filled) =>
      filled === widest ? { ...filled, cells: filled.cells.map((cell) => cut(cell, target)) } : filled,
    );
  }
  return table;
}

function totalOf(table: readonly Filled[]): number {
  return table.map(widthOf).reduce((sum, width) => sum + width, gap.length * (table.length - 1));
}

function widthOf({ column, cells }: Filled): number {
  return Math.max(column.heading.length, ...cells.map((cell) => stripVTControlCharacters(cell).length));
}

function cut(cell: string, width: number): string {
  return cell.length <= width ? cell : `${cell.slice(0, width - 1)}…`;
}
