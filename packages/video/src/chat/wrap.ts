import type { SKRSContext2D } from "@napi-rs/canvas";
import { clustersOf, type TextStyle, widthOf } from "../fonts/text.ts";

/** Text in one style, of one line. */
export interface Run<Extra> {
  text: string;
  x: number;
  width: number;
  extra: Extra;
}

export interface Line<Extra> {
  runs: Run<Extra>[];
  width: number;
}

/** Room between two runs of a line, beside their spaces. */
export type GapBetween<Extra> = (left: Extra, right: Extra) => number;

/** Where a line may break: around spaces, and beside every character of scripts that are written without them. */
const words =
  /[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]|[^\S\n]+|\n|[^\s\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]+/gu;
/** No panel shows more lines of one text. */
const maxLines = 400;

/** Breaks text into lines that are not wider than `maxWidth`. Words that are wider break where they have to. */
export function wrap<Extra>(
  context: SKRSContext2D,
  spans: ReadonlyArray<{ text: string; style: TextStyle; extra: Extra }>,
  maxWidth: number,
  gapBetween: GapBetween<Extra> = () => 0,
): Line<Extra>[] {
  const writer = new LineWriter<Extra>(maxWidth, gapBetween);
  for (const { text, style, extra } of spans) {
    for (const [word] of text.matchAll(words)) {
      if (writer.lines.length > maxLines) return writer.lines;
      if (word === "\n") writer.breakLine();
      else if (word.trim() === "") writer.space(word.replaceAll("\t", "  "), style, extra, context);
      else writer.word(word, style, extra, context);
    }
  }
  return writer.lines;
}

class LineWriter<Extra> {
  readonly lines: Line<Extra>[] = [{ runs: [], width: 0 }];
  readonly #maxWidth: number;
  readonly #gapBetween: GapBetween<Extra>;
  /** The current line continues the one before. */
  #isBroken = false;

  constructor(maxWidth: number, gapBetween: GapBetween<Extra>) {
    this.#maxWidth = maxWidth;
    this.#gapBetween = gapBetween;
  }

  breakLine(): void {
    this.lines.push({ runs: [], width: 0 });
  }

  /** Spaces where a line was broken are dropped; those at the beginning of a text are kept. */
  space(text: string, style: TextStyle, extra: Extra, context: SKRSContext2D): void {
    const isAfterBreak = this.#line.runs.length === 0 && this.#isBroken;
    const width = widthOf(context, text, style);
    if (!isAfterBreak && this.#line.width + width <= this.#maxWidth) this.#add(text, width, extra);
  }

  word(text: string, style: TextStyle, extra: Extra, context: SKRSContext2D): void {
    const width = widthOf(context, text, style);
    if (width > this.#maxWidth) {
      this.#breakWord(text, style, extra, context);
      return;
    }
    if (this.#line.width + width > this.#maxWidth) this.#continueBelow();
    this.#add(text, width, extra);
  }

  get #line(): Line<Extra> {
    return this.lines.at(-1) ?? { runs: [], width: 0 };
  }

  #continueBelow(): void {
    const last = this.#line.runs.at(-1);
    if (last !== undefined && last.text.trim() === "") {
      this.#line.runs.pop();
      this.#line.width -= last.width;
    }
    if (this.#line.runs.length > 0) this.breakLine();
    this.#isBroken = true;
  }

  #breakWord(text: string, style: TextStyle, extra: Extra, context: SKRSContext2D): void {
    let piece = "";
    let width = 0;
    for (const cluster of clustersOf(text)) {
      const more = widthOf(context, cluster, style);
      if (this.#line.width + width + more > this.#maxWidth && (piece !== "" || this.#line.runs.length > 0)) {
        if (piece !== "") this.#add(piece, width, extra);
        this.#continueBelow();
        piece = "";
        width = 0;
        if (this.lines.length > maxLines) return;
      }
      piece += cluster;
      width += more;
    }
    if (piece !== "") this.#add(piece, width, extra);
  }

  /** Words of one style side by side are drawn at once. */
  #add(text: string, width: number, extra: Extra): void {
    const line = this.#line;
    const last = line.runs.at(-1);
    if (last !== undefined && last.extra === extra) {
      last.text += text;
      last.width += width;
    } else {
      if (last !== undefined) line.width += this.#gapBetween(last.extra, extra);
      line.runs.push({ text, x: line.width, width, extra });
    }
    line.width += width;
    if (text.trim() !== "") this.#isBroken = false;
  }
}
