import type { SKRSContext2D } from "@napi-rs/canvas";
import type { TextStyle } from "../fonts/text.ts";
import { type Paragraph, readMarkdown, type Span } from "./read-markdown.ts";
import { type Line, wrap } from "./wrap.ts";

export type Ink = "text" | "muted" | "code" | "accent";

/** How a run of text is drawn. */
export interface Brush {
  style: TextStyle;
  ink: Ink;
  isBoxed: boolean;
}

export interface PlacedLine {
  line: Line<Brush>;
  /** The place of its baseline, in the block. */
  x: number;
  y: number;
}

export interface Box {
  kind: "code" | "quote" | "rule";
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface TextLayout {
  lines: PlacedLine[];
  boxes: Box[];
  width: number;
  height: number;
}

export const fontSize = 16;
export const lineHeight = 23;
const codeSize = 15;
const codeLineHeight = 20;
const indentWidth = 22;
const paragraphGap = 9;
const codePadding = 10;
/** Lines of code that are shown whole; of more, the end. */
const maxCodeLines = 14;

/** Lays Markdown out in a column. */
export function layoutMarkdown(context: SKRSContext2D, text: string, maxWidth: number): TextLayout {
  const layout: TextLayout = { lines: [], boxes: [], width: 0, height: 0 };
  for (const paragraph of readMarkdown(text)) {
    if (layout.height > 0) layout.height += paragraph.isTight ? 3 : paragraphGap;
    addParagraph(context, layout, paragraph, maxWidth);
  }
  return layout;
}

/** Lays plain text out, in one style. */
export function layoutPlain(
  context: SKRSContext2D,
  text: string,
  maxWidth: number,
  brush: Brush,
): TextLayout {
  const layout: TextLayout = { lines: [], boxes: [], width: 0, height: 0 };
  placeLines(layout, wrap(context, [{ text, style: brush.style, extra: brush }], maxWidth), 0, lineHeight);
  return layout;
}

function addParagraph(
  context: SKRSContext2D,
  layout: TextLayout,
  paragraph: Paragraph,
  maxWidth: number,
): void {
  const indent = paragraph.indent * indentWidth;
  if (paragraph.marker !== undefined) addMarker(layout, paragraph.marker, indent - indentWidth);
  const top = layout.height;
  switch (paragraph.kind) {
    case "rule":
      layout.boxes.push({ kind: "rule", x: 0, y: top + 4, width: maxWidth, height: 1 });
      layout.height += 9;
      return;
    case "code":
      addCode(context, layout, paragraph, indent, maxWidth - indent);
      return;
    case "quote":
      placeLines(layout, wrapSpans(context, paragraph, maxWidth - indent - 14), indent + 14, lineHeight);
      layout.boxes.push({ kind: "quote", x: indent, y: top + 2, width: 3, height: layout.height - top - 4 });
      return;
    case "heading":
    case "text":
      placeLines(layout, wrapSpans(context, paragraph, maxWidth - indent), indent, lineHeight);
  }
}

function addCode(
  context: SKRSContext2D,
  layout: TextLayout,
  { spans }: Paragraph,
  x: number,
  width: number,
): void {
  const top = layout.height;
  const brush: Brush = { style: { family: "JetBrains Mono", size: codeSize }, ink: "code", isBoxed: false };
  const text = spans.map((span) => span.text).join("");
  const lines = wrap(context, [{ text, style: brush.style, extra: brush }], width - 2 * codePadding);
  layout.height += codePadding - 2;
  placeLines(layout, lines.slice(-maxCodeLines), x + codePadding, codeLineHeight);
  layout.height += codePadding;
  layout.width = Math.max(layout.width, x + width);
  layout.boxes.push({ kind: "code", x, y: top, width, height: layout.height - top });
}

function addMarker(layout: TextLayout, marker: string, x: number): void {
  const style: TextStyle = { family: "Inter", size: fontSize };
  const extra: Brush = { style, ink: "muted", isBoxed: false };
  const line = { runs: [{ text: marker, x: 0, width: indentWidth, extra }], width: indentWidth };
  layout.lines.push({ line, x: x + 3, y: layout.height + baselineOf(lineHeight) });
}

function placeLines(layout: TextLayout, lines: Line<Brush>[], x: number, height: number): void {
  for (const line of lines) {
    layout.lines.push({ line, x, y: layout.height + baselineOf(height) });
    layout.height += height;
    layout.width = Math.max(layout.width, x + line.width);
  }
}

function baselineOf(height: number): number {
  return height - 6;
}

function wrapSpans(context: SKRSContext2D, { spans, kind }: Paragraph, width: number): Line<Brush>[] {
  const isHeading = kind === "heading";
  const parts = spans.map((span) => {
    const extra = brushOf(span, isHeading, kind === "quote");
    return { text: span.text, style: extra.style, extra };
  });
  return wrap(context, parts, width, (left, right) => (left.isBoxed || right.isBoxed ? 4 : 0));
}

function brushOf(span: Span, isHeading: boolean, isQuote: boolean): Brush {
  if (span.isCode) {
    const style: TextStyle = { family: "JetBrains Mono", size: codeSize, isBold: span.isBold ?? false };
    return { style, ink: "code", isBoxed: true };
  }
  const style: TextStyle = {
    family: "Inter",
    size: isHeading ? fontSize + 1 : fontSize,
    isBold: span.isBold ?? false,
    isItalic: span.isItalic ?? false,
  };
  return { style, ink: span.isLink ? "accent" : isQuote ? "muted" : "text", isBoxed: false };
}
