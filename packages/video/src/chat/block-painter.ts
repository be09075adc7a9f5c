import type { SKRSContext2D } from "@napi-rs/canvas";
import { drawText, ellipsized, type TextStyle, widthOf } from "../fonts/text.ts";
import { drawIcon, type IconName } from "../frame/draw-icon.ts";
import { accentFill, fillRound, strokeRound } from "../frame/shapes.ts";
import type { Palette } from "../theme/palettes.ts";
import { mixed } from "../theme/terminal-colors.ts";
import {
  type Brush,
  fontSize,
  layoutMarkdown,
  layoutPlain,
  lineHeight,
  type TextLayout,
} from "./block-layout.ts";
import type { Block, BlockOf } from "./conversation.ts";

/** Draws a block whose top is at `y`. `turn` moves what spins. */
export interface LaidOutBlock {
  height: number;
  draw(context: SKRSContext2D, x: number, y: number, turn: number): void;
}

const padding = 13;
const radius = 14;
const small: TextStyle = { family: "Inter", size: 15 };
const smallBold: TextStyle = { family: "Inter", size: 15, isBold: true };
const code: TextStyle = { family: "JetBrains Mono", size: 15 };
const chipHeight = 32;
/** The lines of a long thought that are shown: the last ones. */
const thoughtLines = 3;

/** Lays a block out for a column of this width. Undefined: it has nothing to show yet. */
export function layoutBlock(
  context: SKRSContext2D,
  block: Block,
  width: number,
  palette: Palette,
): LaidOutBlock | undefined {
  switch (block.kind) {
    case "message":
      return layoutMessage(context, block, width, palette);
    case "thought":
      return layoutThought(context, block, width, palette);
    case "call":
      return layoutCall(block, width, palette);
    case "notice":
      return layoutNotice(context, block, width, palette);
    case "todo":
      return layoutTodo(block, width, palette);
  }
}

function layoutMessage(
  context: SKRSContext2D,
  { role, text, author }: BlockOf<"message">,
  width: number,
  palette: Palette,
): LaidOutBlock | undefined {
  const shown = text.visible;
  if (shown.trim() === "") return undefined;
  const isUser = role === "user";
  const maxWidth = width - (isUser ? 36 : 0);
  const layout = layoutMarkdown(context, shown, maxWidth - 2 * padding);
  const bubbleWidth = isUser ? Math.min(Math.ceil(layout.width) + 2 * padding, maxWidth) : maxWidth;
  const name = author === undefined ? 0 : 22;
  const height = layout.height + 2 * padding - 4;
  return {
    height: height + name,
    draw(context, left, top) {
      const area = {
        x: left + (isUser ? width - bubbleWidth : 0),
        y: top + name,
        width: bubbleWidth,
        height,
      };
      if (author !== undefined) {
        context.fillStyle = palette.muted;
        drawText(context, ellipsized(context, author, width, small), left + 2, top + 15, small);
      }
      const corners = isUser ? [radius, radius, 4, radius] : [radius, radius, radius, 4];
      fillRound(context, area, corners, palette.bubble);
      if (isUser) {
        context.fillStyle = accentFill(context, area, palette);
        context.fill();
      } else strokeRound(context, area, corners, palette.border);
      drawLayout(context, layout, area.x + padding, area.y + padding - 2, palette, isUser);
    },
  };
}

/** While it lasts, a thought shows its last lines; afterwards one line is left. */
function layoutThought(
  context: SKRSContext2D,
  { text, tookMs }: BlockOf<"thought">,
  width: number,
  palette: Palette,
): LaidOutBlock {
  const isOver = tookMs !== undefined;
  const title = isOver ? `Thought for ${Math.max(Math.round(tookMs / 1000), 1)} s` : "Thinking";
  const brush: Brush = { style: { family: "Inter", size: 15, isItalic: true }, ink: "muted", isBoxed: false };
  const layout = isOver ? undefined : layoutPlain(context, plain(text.visible), width - 30, brush);
  const lines = layout?.lines.slice(-thoughtLines) ?? [];
  return {
    height: 24 + lines.length * lineHeight,
    draw(context, left, top, turn) {
      drawIcon(context, isOver ? "spark" : "spinner", left + 10, top + 12, palette.faint, turn);
      context.fillStyle = palette.muted;
      drawText(context, title, left + 26, top + 17, small);
      context.fillStyle = palette.faint;
      for (const [index, { line }] of lines.entries())
        for (const run of line.runs)
          drawText(context, run.text, left + 26 + run.x, top + 40 + index * lineHeight, run.extra.style);
    },
  };
}

function layoutCall(
  { tool, detail, state, note }: BlockOf<"call">,
  width: number,
  palette: Palette,
): LaidOutBlock {
  return {
    height: chipHeight,
    draw(context, left, top, turn) {
      const area = { x: left, y: top, width, height: chipHeight };
      fillRound(context, area, 9, palette.chip);
      strokeRound(context, area, 9, palette.border);
      const middle = top + chipHeight / 2;
      drawIcon(context, toolIcon(tool), left + 18, middle, palette.accent);
      const noteWidth = note === "" ? 0 : widthOf(context, note, small) + 8;
      const right = left + width - 18;
      context.fillStyle = state === "failed" ? palette.bad : palette.muted;
      if (note !== "") drawText(context, note, right - 6 - noteWidth, middle + 5, small);
      context.fillStyle = mixed(palette.text, palette.chip, 0.12);
      const room = width - 36 - 34 - noteWidth;
      drawText(context, ellipsized(context, detail, room, code), left + 36, middle + 5, code);
      const [icon, color] = stateIcons(palette)[state];
      drawIcon(context, icon, right, middle, color, turn);
    },
  };
}

function layoutNotice(
  context: SKRSContext2D,
  { text, tone }: BlockOf<"notice">,
  width: number,
  palette: Palette,
): LaidOutBlock {
  const brush: Brush = { style: small, ink: "text", isBoxed: false };
  const layout = layoutPlain(context, text.slice(0, 600), width - 30, brush);
  const color = { plain: palette.faint, good: palette.good, bad: palette.bad, warn: palette.warn }[tone];
  return {
    height: layout.height + 12,
    draw(context, left, top) {
      fillRound(
        context,
        { x: left, y: top, width, height: layout.height + 12 },
        9,
        mixed(palette.window, color, 0.12),
      );
      fillRound(context, { x: left, y: top, width: 4, height: layout.height + 12 }, [9, 0, 0, 9], color);
      drawLayout(context, layout, left + 16, top + 6, palette, false);
    },
  };
}

function layoutTodo({ items }: BlockOf<"todo">, width: number, palette: Palette): LaidOutBlock {
  const shown = items.slice(0, 8);
  const height = shown.length * 26 + 14;
  return {
    height,
    draw(context, left, top, turn) {
      const area = { x: left, y: top, width, height };
      fillRound(context, area, 10, palette.chip);
      strokeRound(context, area, 10, palette.border);
      for (const [index, { text, status }] of shown.entries()) {
        const y = top + 20 + index * 26;
        const isDone = status === "completed";
        if (status === "in_progress") drawIcon(context, "spinner", left + 18, y, palette.accent, turn);
        else if (isDone) drawIcon(context, "check", left + 18, y, palette.good);
        else drawIcon(context, "tool", left + 18, y, palette.faint);
        context.fillStyle = isDone || status === "cancelled" ? palette.muted : palette.text;
        const style = status === "in_progress" ? smallBold : small;
        drawText(context, ellipsized(context, text, width - 50, style), left + 36, y + 5, style);
      }
    },
  };
}

function drawLayout(
  context: SKRSContext2D,
  layout: TextLayout,
  x: number,
  y: number,
  palette: Palette,
  isOnAccent: boolean,
): void {
  const inks = isOnAccent
    ? { text: palette.onAccent, muted: palette.onAccent, code: palette.onAccent, accent: palette.onAccent }
    : { text: palette.text, muted: palette.muted, code: palette.codeText, accent: palette.accent };
  const codeFill = isOnAccent ? "#00000038" : palette.code;
  for (const { kind, ...box } of layout.boxes) {
    const area = { ...box, x: x + box.x, y: y + box.y };
    fillRound(context, area, kind === "code" ? 8 : 1, kind === "code" ? codeFill : palette.faint);
  }
  for (const { line, ...place } of layout.lines) {
    for (const { text, extra, ...run } of line.runs) {
      const left = x + place.x + run.x;
      if (extra.isBoxed) {
        const area = { x: left - 4, y: y + place.y - fontSize + 1, width: run.width + 8, height: 20 };
        fillRound(context, area, 5, codeFill);
      }
      context.fillStyle = inks[extra.ink];
      drawText(context, text, left, y + place.y, extra.style);
    }
  }
}

export function toolIcon(tool: string): IconName {
  if (tool.startsWith("shell__")) return "shell";
  if (tool === "files__read") return "file";
  if (tool === "files__write") return "pencil";
  return tool === "files__list" ? "folder" : "tool";
}

function stateIcons(palette: Palette): Record<BlockOf<"call">["state"], [IconName, string]> {
  return {
    running: ["spinner", palette.warn],
    done: ["check", palette.good],
    failed: ["cross", palette.bad],
  };
}

function plain(text: string): string {
  return text.replace(/\*\*|^#+ /gm, "").replace(/\n{2,}/g, "\n");
}
