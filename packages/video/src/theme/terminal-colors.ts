import type { Palette } from "./palettes.ts";

/** Text whose contrast to what is behind it is lower cannot be read in a video. */
const minContrastOfVideos = 3;

/** A colour of a cell: the default, one of 256, or `0xrrggbb`. */
export type CellColor =
  | { kind: "default" }
  | { kind: "indexed"; index: number }
  | { kind: "rgb"; value: number };

/** Translates the colours of a terminal to those of a theme. */
export class TerminalColors {
  readonly #palette: Palette;
  readonly #minContrast: number;
  readonly #readable = new Map<string, string>();

  constructor(palette: Palette, minContrast = minContrastOfVideos) {
    this.#palette = palette;
    this.#minContrast = minContrast;
  }

  foreground(color: CellColor, isBold: boolean): string {
    if (color.kind === "default") return this.#palette.text;
    if (color.kind === "rgb") return hexOf(color.value);
    return this.#indexed(isBold && color.index < 8 ? color.index + 8 : color.index);
  }

  /** Undefined: the window shows through. */
  background(color: CellColor): string | undefined {
    if (color.kind === "default") return undefined;
    return color.kind === "rgb" ? hexOf(color.value) : this.#indexed(color.index);
  }

  /** The text's colour, or one near it that can be read on the background. */
  readable(text: string, behind: string): string {
    const key = text + behind;
    const known = this.#readable.get(key);
    if (known !== undefined) return known;
    const goal = luminance(behind) > 0.18 ? "#000000" : "#ffffff";
    let color = text;
    for (let share = 0.2; contrast(color, behind) < this.#minContrast && share <= 1; share += 0.2)
      color = mixed(text, goal, share);
    if (this.#readable.size > 4096) this.#readable.clear();
    this.#readable.set(key, color);
    return color;
  }

  #indexed(index: number): string {
    return this.#palette.ansi[index] ?? hexOf(cubeColor(index));
  }
}

/** Colours 16 to 231 are a cube with 6 steps a side, 232 to 255 are greys. */
function cubeColor(index: number): number {
  if (index >= 232) return (8 + (index - 232) * 10) * 0x010101;
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cell = index - 16;
  return (level(Math.floor(cell / 36)) << 16) | (level(Math.floor(cell / 6) % 6) << 8) | level(cell % 6);
}

function hexOf(value: number): string {
  return `#${value.toString(16).padStart(6, "0")}`;
}

/** A colour between two, `share` of the way from the first. */
export function mixed(from: string, to: string, share: number): string {
  const [a, b] = [channelsOf(from), channelsOf(to)];
  const value = a.reduce((sum, channel, index) => {
    const mix = Math.round(channel + ((b[index] ?? 0) - channel) * Math.min(share, 1));
    return sum * 256 + mix;
  }, 0);
  return hexOf(value);
}

/** Black or white, whichever is easier to read on the colour. */
export function inkOn(color: string): string {
  return contrast("#ffffff", color) > contrast("#000000", color) ? "#ffffff" : "#000000";
}

/** The contrast as WCAG defines it, 1 to 21. */
export function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(color: string): number[] {
  const value = Number.parseInt(color.slice(1, 7), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
