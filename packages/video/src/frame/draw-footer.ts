import type { SKRSContext2D } from "@napi-rs/canvas";
import { toolIcon } from "../chat/block-painter.ts";
import { drawText, ellipsized, type TextStyle, widthOf } from "../fonts/text.ts";
import type { Palette } from "../theme/palettes.ts";
import { inkOn } from "../theme/terminal-colors.ts";
import { drawIcon } from "./draw-icon.ts";
import { footer, terminalWindow } from "./layout.ts";
import { accentFill, fillRound, strokeRound } from "./shapes.ts";

export interface FooterState {
  /** The tool in use; empty between tools. */
  tool: string;
  activity: string;
  /** How long the shortened pause was; empty if none is shown. */
  skipped: string;
  /** `4×`; empty at the speed of the run. */
  speed: string;
  /** The progress of the run, 0 to 1. */
  progress: number;
}

const small: TextStyle = { family: "Inter", size: 15 };
const bold: TextStyle = { family: "Inter", size: 15, isBold: true };

/** Draws the tool in use, how the video departs from the run's time, and how much of the run has passed. */
export function drawFooter(context: SKRSContext2D, state: FooterState, palette: Palette): void {
  const middle = footer.y + 17;
  let x = terminalWindow.x + 4;
  drawIcon(context, state.tool === "" ? "spark" : toolIcon(state.tool), x + 8, middle, palette.accent);
  x += 26;
  const right = drawMarks(context, state, middle, palette);
  context.fillStyle = palette.muted;
  drawText(context, ellipsized(context, state.activity, right - x - 24, small), x, middle + 5, small);
  drawProgress(context, state.progress, palette);
}

function drawMarks(
  context: SKRSContext2D,
  { skipped, speed }: FooterState,
  middle: number,
  palette: Palette,
): number {
  let right = footer.width - 24;
  if (skipped !== "") right = drawMark(context, skipped, right, middle, palette, true);
  if (speed !== "") right = drawMark(context, speed, right, middle, palette, false);
  return right;
}

function drawMark(
  context: SKRSContext2D,
  text: string,
  right: number,
  middle: number,
  palette: Palette,
  isFilled: boolean,
): number {
  const width = widthOf(context, text, bold) + 48;
  const area = { x: right - width, y: middle - 14, width, height: 28 };
  if (isFilled) fillRound(context, area, 14, palette.warn);
  else {
    fillRound(context, area, 14, palette.chip);
    strokeRound(context, area, 14, palette.border);
  }
  const ink = isFilled ? inkOn(palette.warn) : palette.text;
  drawIcon(context, "skip", area.x + 20, middle, ink);
  context.fillStyle = ink;
  drawText(context, text, area.x + 35, middle + 5, bold);
  return area.x - 10;
}

function drawProgress(context: SKRSContext2D, progress: number, palette: Palette): void {
  const area = { x: 0, y: footer.y + footer.height - 4, width: footer.width, height: 4 };
  context.fillStyle = palette.border;
  context.fillRect(area.x, area.y, area.width, area.height);
  context.fillStyle = accentFill(context, area, palette);
  context.fillRect(area.x, area.y, Math.round(area.width * progress), area.height);
}
