import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import headless from "@xterm/headless";
import { EscapeFilter } from "./escape-filter.ts";
import { type IsOfCodeFont, readRow, type ScreenRow } from "./read-row.ts";

export interface ScreenSize {
  columns: number;
  rows: number;
  /** Rows above the screen that are kept. Default: none. */
  scrollback?: number;
}

/** Ends whatever a command has left behind: an unfinished sequence, the second screen, a hidden cursor, colours, margins. */
const restored = "\x1b[?1047l\x1b[!p\x1b[?25h\x1b[?7h\x1b(B\x0f\x1b[m";

/** The state of a terminal. */
export class Screen {
  readonly #terminal: headless.Terminal;
  readonly #filter = new EscapeFilter();
  readonly #isOfCodeFont: IsOfCodeFont;

  constructor({ columns, rows, scrollback = 0 }: ScreenSize, isOfCodeFont: IsOfCodeFont) {
    this.#isOfCodeFont = isOfCodeFont;
    this.#terminal = new headless.Terminal({
      cols: columns,
      rows,
      scrollback,
      convertEol: true,
      allowProposedApi: true,
      logLevel: "off",
    });
    this.#terminal.loadAddon(new UnicodeGraphemesAddon());
  }

  /** Writes the output of a command, whatever it is. */
  async print(text: string): Promise<void> {
    await this.#write(this.#filter.pass(text));
  }

  /** Begins a line that the last output cannot disturb. */
  async startLine(): Promise<void> {
    this.#filter.reset();
    await this.#write(restored);
    if (this.#terminal.buffer.active.cursorX > 0) await this.#write("\n");
    // The cursor may have been moved to a line that has text already.
    await this.#write("\x1b[K");
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  /** How many rows are above the screen: the first one is `row(-rowsAbove)`. */
  get rowsAbove(): number {
    return this.#terminal.buffer.active.baseY;
  }

  row(index: number): ScreenRow {
    return readRow(this.#terminal.buffer.active, index, this.#terminal.cols, this.#isOfCodeFont);
  }

  get cursor(): { column: number; row: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { column: Math.min(cursorX, this.#terminal.cols - 1), row: cursorY };
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #write(text: string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(text, resolve));
  }
}
