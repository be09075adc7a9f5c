import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Area } from "../scene/area.ts";
import type { Palette } from "../theme/palettes.ts";

/** Fills a rectangle with round corners. */
export function fillRound(
  context: SKRSContext2D,
  area: Area,
  radius: number | number[],
  color: string,
): void {
  context.beginPath();
  context.roundRect(area.x, area.y, area.width, area.height, radius);
  context.fillStyle = color;
  context.fill();
}

/** Draws the border of a rectangle with round corners, inside it. */
export function strokeRound(
  context: SKRSContext2D,
  area: Area,
  radius: number | number[],
  color: string,
): void {
  context.beginPath();
  context.roundRect(area.x + 0.5, area.y + 0.5, area.width - 1, area.height - 1, radius);
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.stroke();
}

/** A card with a border that floats above the background. */
export function drawCard(context: SKRSContext2D, area: Area, radius: number, palette: Palette): void {
  context.save();
  context.shadowColor = palette.shadow;
  context.shadowBlur = 28;
  context.shadowOffsetY = 10;
  fillRound(context, area, radius, palette.window);
  context.restore();
  strokeRound(context, area, radius, palette.border);
}

/** Runs `draw` with nothing drawn outside the area. */
export function clipped(context: SKRSContext2D, area: Area, draw: () => void): void {
  context.save();
  context.beginPath();
  context.rect(area.x, area.y, area.width, area.height);
  context.clip();
  draw();
  context.restore();
}

/** The gradient of things that carry the product's colour. */
export function accentFill(context: SKRSContext2D, area: Area, palette: Palette) {
  const gradient = context.createLinearGradient(area.x, area.y, area.x + area.width, area.y + area.height);
  gradient.addColorStop(0, palette.accent);
  gradient.addColorStop(1, palette.accentEnd);
  return gradient;
}
