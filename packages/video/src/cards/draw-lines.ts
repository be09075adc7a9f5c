import type { SKRSContext2D } from "@napi-rs/canvas";
import { wrap } from "../chat/wrap.ts";
import { drawText, ellipsized, type TextStyle } from "../fonts/text.ts";

/** Draws a text in a few lines at most. Returns the baseline after the last. */
export function drawLines(
  context: SKRSContext2D,
  text: string,
  {
    x,
    y,
    width,
    maxLines,
    lineHeight,
  }: { x: number; y: number; width: number; maxLines: number; lineHeight: number },
  style: TextStyle,
): number {
  const words = text.slice(0, 1000).toWellFormed().replace(/\s+/g, " ").trim();
  const lines = wrap(context, [{ text: words, style, extra: style }], width);
  let baseline = y;
  for (const [index, line] of lines.slice(0, maxLines).entries()) {
    const isCut = index === maxLines - 1 && lines.length > maxLines;
    const shown = line.runs.map((run) => run.text).join("");
    drawText(context, isCut ? ellipsized(context, `${shown} …`, width, style) : shown, x, baseline, style);
    baseline += lineHeight;
  }
  return baseline;
}
