import type { SKRSContext2D } from "@napi-rs/canvas";
import { familyOf, type TextFamily } from "./fonts.ts";

export interface TextStyle {
  family: TextFamily;
  /** In pixels. */
  size: number;
  isBold?: boolean;
  isItalic?: boolean;
}

interface Piece {
  text: string;
  family: string;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Texts whose width is remembered. */
const maxWidths = 20_000;
/** A longer text is measured in parts by its caller; this bounds what a single call costs. */
const maxLength = 2000;
const widths = new Map<string, number>();

/** The grapheme clusters of a text. */
export function clustersOf(text: string): string[] {
  if (isPlain(text)) return text.split("");
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** Draws one line of text. Each character is in a font that has it, or else in the style's own. */
export function drawText(context: SKRSContext2D, text: string, x: number, y: number, style: TextStyle): void {
  // Joined letters are for source code: in a terminal, each has its own cell.
  context.letterSpacing = style.family === "JetBrains Mono" ? "0.001px" : "0px";
  let at = x;
  const pieces = piecesOf(text.slice(0, maxLength), style.family);
  for (const [index, piece] of pieces.entries()) {
    context.font = fontOf(piece.family, style);
    context.fillText(piece.text, at, y);
    // Measuring costs as much as drawing.
    if (index < pieces.length - 1) at += widthOfPiece(context, piece, style);
  }
}

/** The width of one line of text, in pixels. */
export function widthOf(context: SKRSContext2D, text: string, style: TextStyle): number {
  let width = 0;
  for (const piece of piecesOf(text.slice(0, maxLength), style.family))
    width += widthOfPiece(context, piece, style);
  return width;
}

/** The text, cut with an ellipsis where it would be wider than `maxWidth`. */
export function ellipsized(context: SKRSContext2D, text: string, maxWidth: number, style: TextStyle): string {
  const line = text.slice(0, maxLength).toWellFormed().replace(/\s+/g, " ").trim();
  if (widthOf(context, line, style) <= maxWidth) return line;
  const clusters = clustersOf(line);
  let low = 0;
  let high = clusters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(context, `${clusters.slice(0, middle).join("")}…`, style) <= maxWidth) low = middle;
    else high = middle - 1;
  }
  return `${clusters.slice(0, low).join("").trimEnd()}…`;
}

function widthOfPiece(context: SKRSContext2D, { text, family }: Piece, style: TextStyle): number {
  const font = fontOf(family, style);
  const key = `${font}|${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  context.font = font;
  const { width } = context.measureText(text);
  if (widths.size >= maxWidths) widths.clear();
  widths.set(key, width);
  return width;
}

function fontOf(family: string, { size, isBold, isItalic }: TextStyle): string {
  return `${isItalic ? "italic " : ""}${isBold ? "600 " : ""}${size}px "${family}"`;
}

/** Canvas can choose fonts by itself, but takes ten times as long with a list of families. */
function piecesOf(text: string, preferred: TextFamily): Piece[] {
  if (isPlain(text)) return [{ text, family: preferred }];
  const pieces: Piece[] = [];
  for (const { segment } of graphemes.segment(text)) {
    const family = segment === " " ? (pieces.at(-1)?.family ?? preferred) : familyOf(segment, preferred);
    const last = pieces.at(-1);
    if (last?.family === family) last.text += segment;
    else pieces.push({ text: segment, family });
  }
  return pieces;
}

/** Only characters that every text font has, none of which join to a cluster. */
function isPlain(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are plain, too
  return /^[\u0000-\u024f]*$/.test(text) && !text.includes("\r\n");
}
