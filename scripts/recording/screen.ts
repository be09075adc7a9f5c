import xterm, { type IBufferCell, type Terminal } from "@xterm/headless";
import type { Output } from "./shell.ts";
import { columns, rows } from "./size.ts";

/** Characters of one row that look the same. `colour` is one of the terminal's sixteen. */
export interface Span {
  readonly column: number;
  readonly text: string;
  readonly colour: number | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
}

/** The terminal's contents from `atMs` on. */
export interface Frame {
  readonly atMs: number;
  readonly rows: readonly Span[][];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** Shorter than this, a frame would not be seen. */
const frameMs = 40;
/** Longer waits, such as for a process to start, are cut to this. */
const maxPauseMs = 1_800;

/** Plays the output of a terminal into frames, with long waits cut short. */
export async function framesOf(output: readonly Output[]): Promise<Frame[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const frames: Frame[] = [];
  let [atMs, lastMs] = [0, output[0]?.atMs ?? 0];
  for (const [index, piece] of output.entries()) {
    atMs += Math.min(piece.atMs - lastMs, maxPauseMs);
    lastMs = piece.atMs;
    await new Promise<void>((written) => terminal.write(piece.text, written));
    const nextMs = output[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    const isDue = atMs - (frames.at(-1)?.atMs ?? 0) >= frameMs;
    if (isDue || nextMs - piece.atMs >= frameMs) frames.push(snapshot(terminal, atMs));
  }
  terminal.dispose();
  return frames;
}

function snapshot(terminal: Terminal, atMs: number): Frame {
  const buffer = terminal.buffer.active;
  const shown = Array.from({ length: rows }, (_, row) => {
    const line = buffer.getLine(buffer.viewportY + row);
    const cells = Array.from({ length: columns }, (_, column) => line?.getCell(column));
    return spansOf(cells);
  });
  return { atMs, rows: shown, cursor: { row: buffer.cursorY, column: buffer.cursorX } };
}

function spansOf(cells: ReadonlyArray<IBufferCell | undefined>): Span[] {
  const spans: Span[] = [];
  for (const [column, cell] of cells.entries()) {
    if (cell === undefined || cell.getWidth() === 0) continue;
    const look = {
      colour: cell.isFgPalette() ? cell.getFgColor() : undefined,
      bold: cell.isBold() !== 0,
      dim: cell.isDim() !== 0,
    };
    const text = cell.getChars() || " ";
    const last = spans.at(-1);
    const continues = last && last.colour === look.colour && last.bold === look.bold && last.dim === look.dim;
    if (continues) spans[spans.length - 1] = { ...last, text: last.text + text };
    else spans.push({ column, text, ...look });
  }
  return spans
    .map((span) => {
      const text = span.text.trimEnd();
      const indent = text.length - text.trimStart().length;
      return { ...span, column: span.column + indent, text: text.trimStart() };
    })
    .filter(({ text }) => text !== "");
}
