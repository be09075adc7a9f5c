import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import headless from "@xterm/headless";
import { EscapeFilter } from "./escape-filter.ts";
import { readRow, type ScreenRow } from "./read-row.ts";

export interface ScreenSize {
  columns: number;
  rows: number;
}

/** Ends whatever a command has left behind: an unfinished sequence, the second screen, a hidden cursor, colours, margins. */
const restored = "\x1b[?1047l\x1b[!p\x1b[?25h\x1b[?7h\x1b(B\x0f\x1b[m";

/** The state of a terminal without scrollback. */
export class Screen {
  readonly #terminal: headless.Terminal;
  readonly #filter = new EscapeFilter();

  constructor({ columns, rows }: ScreenSize) {
    this.#terminal = new headless.Terminal({
      cols: columns,
      rows,
      scrollback: 0,
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

  row(index: number): ScreenRow {
    return readRow(this.#terminal.buffer.active, index, this.#terminal.cols);
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
