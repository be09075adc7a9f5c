import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import type { Area } from "../scene/area.ts";
import type { Palette } from "../theme/palettes.ts";
import * as layout from "./layout.ts";
import { drawCard, fillRound } from "./shapes.ts";

/**
 * The parts that never change: drawn once, and copied from then on. Shadows and gradients are the dearest things to
 * draw.
 */
export class Backdrop {
  readonly #plain: Canvas;
  readonly #stage: Canvas;

  constructor(palette: Palette) {
    this.#plain = drawn((context) => drawBackground(context, palette));
    this.#stage = drawn((context) => {
      drawBackground(context, palette);
      drawWindow(context, palette);
    });
  }

  /** Behind the cards. */
  paintPlain(context: SKRSContext2D, area: Area = layout.frame): void {
    copy(this.#plain, context, area);
  }

  /** With the empty window of the terminal. */
  paintStage(context: SKRSContext2D, area: Area = layout.frame): void {
    copy(this.#stage, context, area);
  }

  /** Makes the upper edge of an area disappear into the background. */
  paintFade(context: SKRSContext2D, { x, y, width }: Area, height: number): void {
    context.save();
    for (let row = 0; row < height; row += 2) {
      context.globalAlpha = 1 - row / height;
      copy(this.#stage, context, { x, y: y + row, width, height: 2 });
    }
    context.restore();
  }
}

function drawn(draw: (context: SKRSContext2D) => void): Canvas {
  const canvas = createCanvas(layout.frame.width, layout.frame.height);
  draw(canvas.getContext("2d"));
  return canvas;
}

function copy(source: Canvas, context: SKRSContext2D, { x, y, width, height }: Area): void {
  context.drawImage(source, x, y, width, height, x, y, width, height);
}

function drawBackground(context: SKRSContext2D, palette: Palette): void {
  const { width, height } = layout.frame;
  const gradient = context.createLinearGradient(0, 0, width * 0.4, height);
  gradient.addColorStop(0, palette.background[0]);
  gradient.addColorStop(1, palette.background[1]);
  context.fillStyle = gradient;
  context.fillRect(0, 0, width, height);
  for (const [x, y, size] of [
    [width * 0.12, -80, 620],
    [width * 0.98, height * 1.05, 560],
  ] as const) {
    const glow = context.createRadialGradient(x, y, 0, x, y, size);
    glow.addColorStop(0, palette.glow);
    glow.addColorStop(1, `${palette.glow.slice(0, 7)}00`);
    context.fillStyle = glow;
    context.fillRect(0, 0, width, height);
  }
}

function drawWindow(context: SKRSContext2D, palette: Palette): void {
  const area = layout.terminalWindow;
  drawCard(context, area, 14, palette);
  const bar = { ...layout.titleBar, x: area.x + 1, y: area.y + 1, width: area.width - 2 };
  fillRound(context, bar, [13, 13, 0, 0], palette.titleBar);
  context.fillStyle = palette.border;
  context.fillRect(area.x + 1, area.y + bar.height, area.width - 2, 1);
  for (const [index, color] of ["#ff5f57", "#febc2e", "#28c840"].entries()) {
    context.beginPath();
    context.arc(area.x + 22 + index * 20, area.y + 20.5, 6, 0, Math.PI * 2);
    context.fillStyle = color;
    context.fill();
  }
}
