import type { SKRSContext2D } from "@napi-rs/canvas";
import { drawText, ellipsized, type TextStyle, widthOf } from "../fonts/text.ts";
import { dateTime } from "../frame/format.ts";
import { drawAvatar } from "../frame/header.ts";
import { fillRound, strokeRound } from "../frame/shapes.ts";
import type { RunFacts } from "../run-facts.ts";
import type { Palette } from "../theme/palettes.ts";
import { drawLines } from "./draw-lines.ts";

const left = 128;
const width = 1024;
const name: TextStyle = { family: "Inter", size: 54, isBold: true };
const task: TextStyle = { family: "Inter", size: 27 };
const small: TextStyle = { family: "Inter", size: 18 };

/** Draws who worked on what, when, and with which model. */
export function drawTitleCard(context: SKRSContext2D, facts: RunFacts, palette: Palette): void {
  drawAvatar(context, facts.agentName, left, 158, 84, palette);
  context.fillStyle = palette.text;
  drawText(context, ellipsized(context, facts.agentName, width, name), left - 2, 316, name);
  context.fillStyle = palette.muted;
  drawLines(context, facts.task, { x: left, y: 372, width, maxLines: 4, lineHeight: 38 }, task);
  let x = left;
  for (const text of [dateTime(facts.startedAtMs), facts.model ?? ""]) {
    if (text === "") continue;
    x += drawPill(context, ellipsized(context, text, 420, small), x, 556, palette) + 14;
  }
  const signature = "Recorded by Muster";
  context.fillStyle = palette.muted;
  drawText(context, signature, left + width - widthOf(context, signature, small), 583, small);
}

function drawPill(context: SKRSContext2D, text: string, x: number, y: number, palette: Palette): number {
  const area = { x, y, width: widthOf(context, text, small) + 36, height: 42 };
  fillRound(context, area, 21, palette.chip);
  strokeRound(context, area, 21, palette.border);
  context.fillStyle = palette.text;
  drawText(context, text, x + 18, y + 27, small);
  return area.width;
}
