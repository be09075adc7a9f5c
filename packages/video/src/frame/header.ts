import type { SKRSContext2D } from "@napi-rs/canvas";
import { clustersOf, drawText, ellipsized, type TextStyle, widthOf } from "../fonts/text.ts";
import type { Palette } from "../theme/palettes.ts";
import { header } from "./layout.ts";
import { accentFill, fillRound, strokeRound } from "./shapes.ts";

export interface HeaderState {
  agentName: string;
  task: string;
  model: string;
  step: string;
  elapsed: string;
  cost: string;
  status: string;
  statusTone: "good" | "bad" | "warn" | "accent";
}

const nameStyle: TextStyle = { family: "Inter", size: 18, isBold: true };
const small: TextStyle = { family: "Inter", size: 15 };
const figure: TextStyle = { family: "JetBrains Mono", size: 16, isBold: true };

/** Draws who works on what, and how far they are. */
export function drawHeader(context: SKRSContext2D, state: HeaderState, palette: Palette): void {
  drawAvatar(context, state.agentName, 24, 17, 40, palette);
  const left = drawFigures(context, state, palette);
  const room = left - 78 - 24;
  const name = ellipsized(context, state.agentName, room, nameStyle);
  context.fillStyle = palette.text;
  drawText(context, name, 78, 34, nameStyle);
  const nameWidth = widthOf(context, name, nameStyle);
  const modelRoom = room - nameWidth - 28;
  if (state.model !== "" && modelRoom > 60) {
    context.fillStyle = palette.faint;
    drawText(context, ellipsized(context, state.model, modelRoom, small), 78 + nameWidth + 12, 34, small);
  }
  context.fillStyle = palette.muted;
  drawText(context, ellipsized(context, state.task, room, small), 78, 57, small);
}

/** A round picture with the first letter of a name. */
export function drawAvatar(
  context: SKRSContext2D,
  name: string,
  x: number,
  y: number,
  size: number,
  palette: Palette,
): void {
  const area = { x, y, width: size, height: size };
  context.beginPath();
  context.arc(x + size / 2, y + size / 2, size / 2, 0, Math.PI * 2);
  context.fillStyle = accentFill(context, area, palette);
  context.fill();
  const style: TextStyle = { family: "Inter", size: Math.round(size * 0.46), isBold: true };
  const letter = (clustersOf(name.toWellFormed().trim())[0] ?? "?").toUpperCase();
  context.fillStyle = palette.onAccent;
  drawText(context, letter, x + (size - widthOf(context, letter, style)) / 2, y + size * 0.66, style);
}

/** From right to left. Returns where they begin. */
function drawFigures(context: SKRSContext2D, state: HeaderState, palette: Palette): number {
  let right = header.width - 24;
  right = drawFigure(context, state.elapsed, "elapsed", right, palette);
  if (state.cost !== "") right = drawFigure(context, state.cost, "cost", right, palette);
  if (state.step !== "") right = drawFigure(context, state.step, "step", right, palette);
  return drawStatus(context, state, right, palette);
}

function drawFigure(
  context: SKRSContext2D,
  value: string,
  label: string,
  right: number,
  palette: Palette,
): number {
  // The figures of the font are equally wide, so the label stays where it is while time passes.
  const width = Math.max(widthOf(context, value, figure), widthOf(context, label, small)) + 4;
  const left = right - width;
  context.fillStyle = palette.text;
  drawText(context, value, right - widthOf(context, value, figure), 34, figure);
  context.fillStyle = palette.faint;
  drawText(context, label, right - widthOf(context, label, small), 56, small);
  return left - 26;
}

function drawStatus(
  context: SKRSContext2D,
  { status, statusTone }: HeaderState,
  right: number,
  palette: Palette,
): number {
  const width = widthOf(context, status, small) + 42;
  const area = { x: right - width, y: 22, width, height: 30 };
  fillRound(context, area, 15, palette.chip);
  strokeRound(context, area, 15, palette.border);
  context.beginPath();
  context.arc(area.x + 17, area.y + 15, 4.5, 0, Math.PI * 2);
  context.fillStyle = palette[statusTone];
  context.fill();
  context.fillStyle = palette.text;
  drawText(context, status, area.x + 29, area.y + 20, small);
  return area.x;
}
