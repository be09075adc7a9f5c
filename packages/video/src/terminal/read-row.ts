import type { IBuffer, IBufferCell } from "@xterm/headless";
import type { CellColor } from "../theme/terminal-colors.ts";

export type CellStyle = ReturnType<typeof styleOf>;

/** Cells side by side in one style. */
export interface ScreenRun {
  column: number;
  columns: number;
  text: string;
  style: CellStyle;
  /** A single character that may be wider or narrower than its cells. */
  isSingle: boolean;
}

export interface ScreenRow {
  runs: ScreenRun[];
  /** Equal for rows that look the same. */
  key: string;
}

/** A cell with more is an attack on the renderer. */
const maxCellLength = 32;

/** Whether the font of code has the character, which is then exactly as wide as a cell. */
export type IsOfCodeFont = (character: string) => boolean;

/** Reads the contents of a row of the screen. */
export function readRow(
  buffer: IBuffer,
  index: number,
  columns: number,
  isOfCodeFont: IsOfCodeFont,
): ScreenRow {
  const line = buffer.getLine(buffer.viewportY + index);
  const row: ScreenRow = { runs: [], key: "" };
  if (line === undefined) return row;
  let lastKey = "";
  let cell: IBufferCell | undefined;
  for (let column = 0; column < columns; column++) {
    cell = line.getCell(column, cell);
    if (cell === undefined) break;
    const width = cell.getWidth();
    if (width === 0) continue;
    const text = cell.isInvisible() ? " " : cell.getChars().slice(0, maxCellLength) || " ";
    const styleKey = keyOf(cell);
    const isSingle = width > 1 || text.length > 1 || !isOfCodeFont(text);
    const last = row.runs.at(-1);
    if (last !== undefined && styleKey === lastKey && !isSingle && !last.isSingle) {
      last.text += text;
      last.columns += width;
    } else {
      row.runs.push({ column, columns: width, text, style: styleOf(cell), isSingle });
      row.key += styleKey;
    }
    row.key += text;
    lastKey = styleKey;
  }
  return row;
}

function keyOf(cell: IBufferCell): string {
  if (cell.isAttributeDefault()) return "\u0000";
  const flags =
    (cell.isBold() ? 1 : 0) |
    (cell.isDim() ? 2 : 0) |
    (cell.isItalic() ? 4 : 0) |
    (cell.isUnderline() ? 8 : 0) |
    (cell.isStrikethrough() ? 16 : 0) |
    (cell.isInverse() ? 32 : 0);
  const colors = `${cell.getFgColorMode()}.${cell.getFgColor()}.${cell.getBgColorMode()}.${cell.getBgColor()}`;
  return `\u0000${flags}.${colors}\u0000`;
}

function styleOf(cell: IBufferCell) {
  return {
    foreground: colorOf(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
    background: colorOf(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()),
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
    isItalic: cell.isItalic() !== 0,
    isUnderlined: cell.isUnderline() !== 0,
    isStruck: cell.isStrikethrough() !== 0,
    isInverse: cell.isInverse() !== 0,
  };
}

function colorOf(isDefault: boolean, isRgb: boolean, value: number): CellColor {
  if (isDefault) return { kind: "default" };
  return isRgb ? { kind: "rgb", value } : { kind: "indexed", index: value };
}
