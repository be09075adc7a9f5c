import { readFileSync } from "node:fs";

/** Ranges of code points, sorted: start, end, start, end, ... Both ends belong to the range. */
export type Coverage = readonly number[];

/** Reads which characters a TrueType font has, from its `cmap` table. */
export function coverageOfFont(path: string): Coverage {
  const file = readFileSync(path);
  const table = cmapOf(file);
  if (table === undefined) throw new Error(`the font ${path} has no table of its characters`);
  const format = table.readUInt16BE(0);
  if (format === 12) return merged(segmentedRanges(table));
  if (format === 4) return merged(deltaRanges(table));
  throw new Error(`the font ${path} has a table of characters in format ${format}`);
}

/** Reads ranges as stylesheets write them, such as `U+4E00-9FFF,U+3001`. */
export function coverageOfText(text: string): Coverage {
  return merged(
    text.split(",").map((part) => {
      const [start = "", end = start] = part.trim().replace(/^U\+/i, "").split("-");
      return [Number.parseInt(start, 16), Number.parseInt(end, 16)];
    }),
  );
}

export function covers(coverage: Coverage, codePoint: number): boolean {
  let low = 0;
  let high = coverage.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((coverage[middle * 2 + 1] ?? 0) < codePoint) low = middle + 1;
    else high = middle;
  }
  return (coverage[low * 2] ?? Number.POSITIVE_INFINITY) <= codePoint;
}

/** The part of the table for all of Unicode, or else for its first plane. */
function cmapOf(file: Buffer): Buffer | undefined {
  for (let index = 0; index < file.readUInt16BE(4); index++) {
    const record = 12 + index * 16;
    if (file.toString("latin1", record, record + 4) !== "cmap") continue;
    const table = file.subarray(file.readUInt32BE(record + 8));
    const parts = new Map<string, Buffer>();
    for (let part = 0; part < table.readUInt16BE(2); part++) {
      const at = 4 + part * 8;
      const key = `${table.readUInt16BE(at)}/${table.readUInt16BE(at + 2)}`;
      parts.set(key, table.subarray(table.readUInt32BE(at + 4)));
    }
    return ["3/10", "0/4", "0/6", "3/1", "0/3"].map((key) => parts.get(key)).find((found) => found);
  }
  return undefined;
}

function segmentedRanges(table: Buffer): number[][] {
  return Array.from({ length: table.readUInt32BE(12) }, (_, index) => {
    const group = 16 + index * 12;
    return [table.readUInt32BE(group), table.readUInt32BE(group + 4)];
  });
}

function deltaRanges(table: Buffer): number[][] {
  const size = table.readUInt16BE(6);
  return Array.from({ length: size / 2 }, (_, index) => [
    table.readUInt16BE(16 + size + index * 2),
    table.readUInt16BE(14 + index * 2),
  ]);
}

function merged(ranges: number[][]): number[] {
  const flat: number[] = [];
  for (const [start = 0, end = 0] of ranges.toSorted(([a = 0], [b = 0]) => a - b)) {
    const last = flat.at(-1);
    if (last !== undefined && start <= last + 1) flat[flat.length - 1] = Math.max(last, end);
    else flat.push(start, end);
  }
  return flat;
}
