import type { SKRSContext2D } from "@napi-rs/canvas";
import { drawText, type TextStyle } from "../fonts/text.ts";
import { drawIcon, type IconName } from "../frame/draw-icon.ts";
import { count, dollars, duration } from "../frame/format.ts";
import { fillRound, strokeRound } from "../frame/shapes.ts";
import type { RunFacts } from "../run-facts.ts";
import type { Palette } from "../theme/palettes.ts";
import { mixed } from "../theme/terminal-colors.ts";
import { drawLines } from "./draw-lines.ts";

const left = 128;
const width = 1024;
const title: TextStyle = { family: "Inter", size: 50, isBold: true };
const text: TextStyle = { family: "Inter", size: 23 };
const value: TextStyle = { family: "Inter", size: 32, isBold: true };
const label: TextStyle = { family: "Inter", size: 17 };

interface Outcome {
  title: string;
  icon: IconName;
  color: "good" | "bad" | "warn";
}

const outcomes: Record<RunFacts["status"], Outcome> = {
  completed: { title: "Completed", icon: "check", color: "good" },
  failed: { title: "Failed", icon: "cross", color: "bad" },
  cancelled: { title: "Cancelled", icon: "cross", color: "warn" },
  blocked: { title: "Blocked by a limit", icon: "cross", color: "warn" },
};

/** Draws how the run ended, and its usage. */
export function drawEndCard(context: SKRSContext2D, facts: RunFacts, steps: number, palette: Palette): void {
  const outcome = outcomes[facts.status];
  const color = palette[outcome.color];
  drawBadge(context, outcome.icon, color, palette);
  context.fillStyle = palette.text;
  drawText(context, outcome.title, left - 2, 312, title);
  context.fillStyle = palette.muted;
  const summary = facts.failureReason ?? `${facts.agentName} · ${facts.task}`;
  drawLines(context, summary, { x: left, y: 358, width, maxLines: 3, lineHeight: 33 }, text);
  const figures = figuresOf(facts, steps);
  const gap = 16;
  const tile = (width - gap * (figures.length - 1)) / figures.length;
  for (const [index, figure] of figures.entries())
    drawFigure(
      context,
      figure,
      { x: left + index * (tile + gap), y: 470, width: tile, height: 112 },
      palette,
    );
}

function figuresOf({ startedAtMs, endedAtMs, usage }: RunFacts, steps: number): Array<[string, string]> {
  const figures: Array<[string, string]> = [["duration", duration(endedAtMs - startedAtMs)]];
  if (steps > 0) figures.push(["steps", count(steps)]);
  if (usage !== undefined) {
    figures.push(["input tokens", count(usage.inputTokens)], ["output tokens", count(usage.outputTokens)]);
    figures.push(["cost", dollars(usage.costUsd)]);
  }
  return figures.filter(([, shown]) => shown !== "");
}

function drawBadge(context: SKRSContext2D, icon: IconName, color: string, palette: Palette): void {
  const [x, y, size] = [left + 42, 200, 42];
  context.beginPath();
  context.arc(x, y, size, 0, Math.PI * 2);
  context.fillStyle = mixed(palette.background[0], color, 0.2);
  context.fill();
  context.save();
  context.translate(x, y);
  context.scale(3.2, 3.2);
  drawIcon(context, icon, 0, 0, color);
  context.restore();
}

function drawFigure(
  context: SKRSContext2D,
  [name, shown]: [string, string],
  area: { x: number; y: number; width: number; height: number },
  palette: Palette,
): void {
  fillRound(context, area, 16, palette.chip);
  strokeRound(context, area, 16, palette.border);
  context.fillStyle = palette.text;
  drawText(context, shown, area.x + 22, area.y + 56, value);
  context.fillStyle = palette.muted;
  drawText(context, name, area.x + 22, area.y + 87, label);
}
