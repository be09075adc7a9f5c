import type { SKRSContext2D } from "@napi-rs/canvas";
import { drawText, type TextStyle, widthOf } from "../fonts/text.ts";
import type { Area } from "../scene/area.ts";
import type { Palette } from "../theme/palettes.ts";
import { mixed, TerminalColors } from "../theme/terminal-colors.ts";
import type { CellStyle, ScreenRow, ScreenRun } from "./read-row.ts";
import type { Screen } from "./screen.ts";

/** JetBrains Mono in 15 px is exactly 9 px wide. */
export const cell = { width: 9, height: 20, fontSize: 15, baseline: 15 };

/** Draws the rows of a screen that differ from those drawn there last. */
export class ScreenPainter {
  readonly #palette: Palette;
  readonly #colors: TerminalColors;
  #drawn: string[] = [];

  constructor(palette: Palette) {
    this.#palette = palette;
    this.#colors = new TerminalColors(palette);
  }

  /** The picture below is gone: the next `paint` draws every row. */
  forget(): void {
    this.#drawn = [];
  }

  /** Returns the rows that it has drawn as one area. */
  paint(context: SKRSContext2D, screen: Screen, { x, y, width }: Area): Area | undefined {
    let first: number | undefined;
    let last = 0;
    const { cursor } = screen;
    for (let index = 0; index < screen.rows; index++) {
      const row = screen.row(index);
      const cursorColumn = cursor.row === index ? cursor.column : undefined;
      const key = `${row.key}${cursorColumn ?? ""}`;
      if (this.#drawn[index] === key) continue;
      this.#drawn[index] = key;
      first ??= index;
      last = index;
      const top = y + index * cell.height;
      this.#paintRow(context, row, { x, y: top, width, height: cell.height }, cursorColumn);
    }
    if (first === undefined) return undefined;
    return { x, y: y + first * cell.height, width, height: (last + 1 - first) * cell.height };
  }

  #paintRow(context: SKRSContext2D, row: ScreenRow, area: Area, cursorColumn: number | undefined): void {
    context.save();
    context.beginPath();
    context.rect(area.x, area.y, area.width, area.height);
    context.clip();
    context.fillStyle = this.#palette.window;
    context.fillRect(area.x, area.y, area.width, area.height);
    for (const run of row.runs) this.#paintBackground(context, run, area);
    if (cursorColumn !== undefined) {
      context.fillStyle = this.#palette.cursor;
      context.fillRect(area.x + cursorColumn * cell.width, area.y + 2, cell.width, cell.height - 4);
    }
    for (const run of row.runs) this.#paintText(context, run, area, cursorColumn);
    context.restore();
  }

  #paintBackground(context: SKRSContext2D, run: ScreenRun, area: Area): void {
    const color = this.#behind(run.style);
    if (color === this.#palette.window) return;
    context.fillStyle = color;
    context.fillRect(area.x + run.column * cell.width, area.y, run.columns * cell.width, area.height);
  }

  #paintText(context: SKRSContext2D, run: ScreenRun, area: Area, cursorColumn: number | undefined): void {
    const { style } = run;
    const left = area.x + run.column * cell.width;
    const width = run.columns * cell.width;
    const text = run.text.trimEnd();
    const behind = cursorColumn === run.column && run.isSingle ? this.#palette.cursor : this.#behind(style);
    const color = this.#colors.readable(this.#ink(style), behind);
    context.fillStyle = style.isDim ? mixed(color, behind, 0.45) : color;
    if (text !== "") this.#drawGlyphs(context, { ...run, text }, left, area.y + cell.baseline);
    if (style.isUnderlined) context.fillRect(left, area.y + cell.baseline + 2, width, 1);
    if (style.isStruck) context.fillRect(left, area.y + cell.baseline - 5, width, 1);
  }

  #drawGlyphs(
    context: SKRSContext2D,
    { text, style, isSingle, columns }: ScreenRun,
    x: number,
    y: number,
  ): void {
    const font = {
      family: "JetBrains Mono" as const,
      size: cell.fontSize,
      isBold: style.isBold,
    };
    if (style.isItalic) {
      // No italic file is loaded for code: the letters are slanted.
      context.save();
      context.transform(1, 0, -0.2, 1, x, y);
      drawText(context, text, 0, 0, font);
      context.restore();
    } else if (isSingle) drawCentred(context, text, x, y, columns * cell.width, font);
    else drawText(context, text, x, y, font);
  }

  #ink({ isInverse, foreground, background, isBold }: CellStyle): string {
    if (isInverse) return this.#colors.background(background) ?? this.#palette.window;
    return this.#colors.foreground(foreground, isBold);
  }

  #behind({ isInverse, foreground, background }: CellStyle): string {
    if (isInverse) return this.#colors.foreground(foreground, false);
    return this.#colors.background(background) ?? this.#palette.window;
  }
}

/** A character of another font is drawn in the middle of its cells, smaller if it would not fit. */
function drawCentred(
  context: SKRSContext2D,
  text: string,
  x: number,
  y: number,
  width: number,
  font: TextStyle,
): void {
  const natural = widthOf(context, text, font);
  if (natural <= width + 1) {
    drawText(context, text, x + (width - natural) / 2, y, font);
    return;
  }
  const size = Math.floor((font.size * width) / natural);
  drawText(context, text, x, y - (font.size - size) / 2, { ...font, size });
}
