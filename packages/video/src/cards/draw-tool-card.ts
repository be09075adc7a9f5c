import type { SKRSContext2D } from "@napi-rs/canvas";
import { toolIcon } from "../chat/block-painter.ts";
import { drawText, ellipsized, type TextStyle, widthOf } from "../fonts/text.ts";
import { drawIcon } from "../frame/draw-icon.ts";
import { fileCard } from "../frame/layout.ts";
import { drawCard, fillRound } from "../frame/shapes.ts";
import type { Area } from "../scene/area.ts";
import type { Palette } from "../theme/palettes.ts";
import { mixed } from "../theme/terminal-colors.ts";
import type { CardLine, ToolCard } from "../tools/tool-card.ts";

const barHeight = 42;
const lineHeight = 20;
const code: TextStyle = { family: "JetBrains Mono", size: 15 };
const codeBold: TextStyle = { family: "JetBrains Mono", size: 15, isBold: true };
const small: TextStyle = { family: "Inter", size: 15 };

/** Draws what a tool reads, writes or returns, over the terminal. */
export function drawToolCard(context: SKRSContext2D, card: ToolCard, palette: Palette): void {
  const area = areaOf(card);
  drawCard(context, area, 12, palette);
  drawBar(context, card, area, palette);
  const gutter = Math.max(...card.lines.map((line) => widthOf(context, line.gutter, code)), 0);
  for (const [index, line] of card.lines.entries()) {
    const y = area.y + barHeight + 12 + index * lineHeight;
    drawLine(context, line, { x: area.x + 2, y, width: area.width - 4, height: lineHeight }, gutter, palette);
  }
}

function areaOf({ lines }: ToolCard): Area {
  const height = barHeight + Math.max(lines.length, 1) * lineHeight + 24;
  const shown = Math.min(height, fileCard.height);
  return { ...fileCard, y: fileCard.y + fileCard.height - shown, height: shown };
}

function drawBar(context: SKRSContext2D, card: ToolCard, area: Area, palette: Palette): void {
  const bar = { x: area.x + 1, y: area.y + 1, width: area.width - 2, height: barHeight };
  fillRound(context, bar, [11, 11, 0, 0], palette.titleBar);
  context.fillStyle = palette.border;
  context.fillRect(bar.x, bar.y + barHeight, bar.width, 1);
  const middle = bar.y + barHeight / 2;
  drawIcon(context, toolIcon(card.tool), area.x + 24, middle, palette.accent);
  const badgeWidth = widthOf(context, card.badge, small) + 24;
  const badge = { x: area.x + area.width - badgeWidth - 12, y: middle - 13, width: badgeWidth, height: 26 };
  const color = card.badge === "failed" ? palette.bad : palette.accent;
  fillRound(context, badge, 13, mixed(palette.titleBar, color, 0.18));
  context.fillStyle = mixed(palette.text, color, 0.35);
  drawText(context, card.badge, badge.x + 12, middle + 5, small);
  context.fillStyle = palette.text;
  drawText(
    context,
    ellipsized(context, card.title, badge.x - area.x - 62, codeBold),
    area.x + 44,
    middle + 5,
    codeBold,
  );
}

function drawLine(
  context: SKRSContext2D,
  line: CardLine,
  area: Area,
  gutter: number,
  palette: Palette,
): void {
  if (line.tone === "added") {
    context.fillStyle = mixed(palette.window, palette.good, 0.1);
    context.fillRect(area.x, area.y, area.width, area.height);
  }
  const left = area.x + 20;
  const baseline = area.y + 15;
  context.fillStyle = line.tone === "added" ? palette.good : palette.faint;
  drawText(context, line.gutter, left + gutter - widthOf(context, line.gutter, code), baseline, code);
  const noteWidth = line.note === undefined ? 0 : widthOf(context, line.note, code);
  if (line.note !== undefined)
    drawText(context, line.note, area.x + area.width - 20 - noteWidth, baseline, code);
  const textLeft = left + (gutter === 0 ? 0 : gutter + 16);
  const room = area.x + area.width - 20 - noteWidth - textLeft;
  context.fillStyle = {
    plain: palette.text,
    added: palette.text,
    bad: palette.bad,
    folder: palette.accentEnd,
  }[line.tone];
  drawText(context, fitted(context, line.text, room), textLeft, baseline, code);
}

/** Keeps spaces, which are the shape of code. */
function fitted(context: SKRSContext2D, text: string, room: number): string {
  if (widthOf(context, text, code) <= room) return text;
  const indent = /^ */.exec(text)?.[0] ?? "";
  return indent + ellipsized(context, text, room - widthOf(context, indent, code), code);
}
