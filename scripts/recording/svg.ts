import type { Frame, Span } from "./screen.ts";
import { columns, rows } from "./size.ts";

/** Frames of one terminal, with the title of its window. */
export interface Reel {
  readonly title: string;
  readonly frames: readonly Frame[];
}

const fontSize = 13;
const cell = { width: 7.8, height: 18 };
const margin = 16;
const barHeight = 34;
const width = columns * cell.width + 2 * margin;
const height = barHeight + rows * cell.height + margin;
/** How long the last picture stays before the recording restarts. */
const lastMs = 7_000;
const changeMs = 2_800;

/** The terminal's sixteen colours, light enough for a dark window. */
const palette = ["#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4"];

/**
 * The recording as one SVG: all pictures below each other, moved past the window by a CSS animation. Without animations,
 * or for readers who prefer reduced motion, it shows the last picture.
 */
export function renderSvg(reels: readonly Reel[], description: string): string {
  const shapes = new Shapes();
  const film: string[] = [];
  const keyframes: string[] = [];
  const starts = startsOf(reels);
  const totalMs = (starts.at(-1)?.atMs ?? 0) + lastMs;
  for (const { reel, frame, atMs } of starts) {
    const top = film.length * height;
    keyframes.push(`${round((atMs / totalMs) * 100, 3)}%{transform:translateY(${-top}px)}`);
    film.push(`<g transform="translate(0 ${top})">${picture(shapes, reel.title, frame)}</g>`);
  }
  const last = -(film.length - 1) * height;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(description)}</title>`,
    "<style>",
    `text{font:${fontSize}px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre}`,
    ".b{font-weight:600}.d{opacity:.65}.title{fill:#8b949e;text-anchor:middle}",
    ...palette.map((colour, index) => `.c${index}{fill:${colour}}`),
    `.film{transform:translateY(${last}px)}`,
    `@keyframes play{${keyframes.join("")}}`,
    `@media (prefers-reduced-motion:no-preference){.film{animation:play ${Math.round(totalMs)}ms step-end infinite}}`,
    "</style>",
    `<defs><clipPath id="window"><rect width="${width}" height="${height}" rx="9"/></clipPath>`,
    `<rect id="cursor" width="${cell.width}" height="${cell.height - 2}" fill="#8b949e" opacity=".8"/>`,
    ...shapes.definitions,
    "</defs>",
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="#161b22" stroke="#30363d"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (colour, index) =>
        `<circle cx="${margin + 4 + index * 18}" cy="${barHeight / 2}" r="5.5" fill="${colour}"/>`,
    ),
    `<g clip-path="url(#window)"><g class="film">`,
    ...film,
    "</g></g></svg>",
    "",
  ].join("\n");
}

/** Parts of a picture that appear more than once: each is drawn once and then referred to. */
class Shapes {
  readonly definitions: string[] = [];
  readonly #ids = new Map<string, string>();

  /** A reference to `content`, moved down by `y`. */
  use(content: string, y: number): string {
    const id = this.#ids.get(content) ?? this.#define(content);
    return `<use href="#${id}"${y === 0 ? "" : ` y="${y}"`}/>`;
  }

  #define(content: string): string {
    const id = `s${this.#ids.size.toString(36)}`;
    this.#ids.set(content, id);
    this.definitions.push(`<g id="${id}">${content}</g>`);
    return id;
  }
}

/** Every frame with the time at which it appears. */
function startsOf(reels: readonly Reel[]): Array<{ reel: Reel; frame: Frame; atMs: number }> {
  let fromMs = 0;
  return reels.flatMap((reel) => {
    const starts = reel.frames.map((frame) => ({ reel, frame, atMs: fromMs + frame.atMs }));
    fromMs = (starts.at(-1)?.atMs ?? fromMs) + changeMs;
    return starts;
  });
}

/** The rows above the cursor seldom change while its own row does, so they are one shape. */
function picture(shapes: Shapes, title: string, { rows, cursor }: Frame): string {
  const text = rows.map((spans, row) =>
    spans.length === 0 ? "" : shapes.use(spans.map(spanText).join(""), row * cell.height),
  );
  const above = text.slice(0, cursor.row).join("");
  const position = `x="${round(margin + cursor.column * cell.width)}" y="${barHeight + cursor.row * cell.height}"`;
  return [
    `<text class="title" x="${width / 2}" y="${barHeight / 2 + 4}">${escaped(title)}</text>`,
    above === "" ? "" : shapes.use(above, 0),
    `<use href="#cursor" ${position}/>`,
    ...text.slice(cursor.row),
  ].join("");
}

function spanText({ column, text, colour, bold, dim }: Span): string {
  const classes = [colour === undefined ? "" : `c${colour % 8}`, bold ? "b" : "", dim ? "d" : ""];
  const look = classes.filter(Boolean).join(" ");
  const place = `x="${round(margin + column * cell.width)}" y="${barHeight + fontSize}"`;
  const length = `textLength="${round(text.length * cell.width)}"`;
  return `<text ${place} ${length}${look === "" ? "" : ` class="${look}"`}>${escaped(text)}</text>`;
}

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
