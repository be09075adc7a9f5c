import { isOfCodeFont } from "../fonts/fonts.ts";
import { OutputBuffer } from "./output-buffer.ts";
import { Screen, type ScreenSize } from "./screen.ts";

/** A command longer than this is cut on the screen. */
const maxCommandLength = 800;
const maxCommandLines = 10;
/** Beyond this, older commands of the same frame are left out: each takes a line at least, so they would not be seen. */
const maxItems = 128;

export interface Typing {
  startMs: number;
  durationMs: number;
}

type Item =
  | { kind: "line"; text: string }
  | { kind: "typed"; clusters: string[]; typed: number; typing: Typing }
  | { kind: "output"; buffer: OutputBuffer };

/** The texts that are to appear on the screen, in order: commands that are typed letter by letter, and their output. */
export class TerminalFeed {
  readonly screen: Screen;
  #items: Item[] = [];
  readonly #prompt: (directory: string) => string;

  constructor(size: ScreenSize, prompt: (directory: string) => string) {
    this.screen = new Screen(size, isOfCodeFont);
    this.#prompt = prompt;
  }

  /** A command is entered. */
  command(directory: string, command: string, typing: Typing): void {
    this.#push({ kind: "line", text: this.#prompt(directory) });
    this.#push({ kind: "typed", clusters: Array.from(shownCommand(command)), typed: 0, typing });
  }

  output(text: string): void {
    const last = this.#items.at(-1);
    if (last?.kind === "output") last.buffer.push(text);
    else {
      const buffer = new OutputBuffer();
      buffer.push(text);
      this.#push({ kind: "output", buffer });
    }
  }

  /** A line of the product's own, such as the exit code. May contain escape sequences. */
  note(text: string): void {
    this.#push({ kind: "line", text: `${text}\n` });
  }

  #push(item: Item): void {
    if (this.#items.length >= maxItems) this.#items.splice(0, maxItems / 2);
    this.#items.push(item);
  }

  get isWaiting(): boolean {
    return this.#items.length > 0;
  }

  /** Brings to the screen what is to be seen by then. */
  async advanceTo(videoMs: number): Promise<void> {
    for (;;) {
      const item = this.#items[0];
      if (item === undefined) return;
      if (item.kind === "line") await this.#startLine(item.text);
      else if (item.kind === "output") await this.#flush(item.buffer);
      else {
        const isDone = await this.#type(item, videoMs);
        if (!isDone) return;
      }
      this.#items.shift();
    }
  }

  async #startLine(text: string): Promise<void> {
    await this.screen.startLine();
    await this.screen.print(text);
  }

  /** Types the rest at once if something follows: output never waits for its command. */
  async #type(item: Extract<Item, { kind: "typed" }>, videoMs: number): Promise<boolean> {
    const { startMs, durationMs } = item.typing;
    const share = this.#items.length > 1 || durationMs <= 0 ? 1 : (videoMs - startMs) / durationMs;
    const until = Math.floor(item.clusters.length * Math.min(Math.max(share, 0), 1));
    if (until > item.typed) await this.screen.print(item.clusters.slice(item.typed, until).join(""));
    item.typed = Math.max(item.typed, until);
    if (item.typed < item.clusters.length) return false;
    await this.screen.print("\n");
    return true;
  }

  async #flush(buffer: OutputBuffer): Promise<void> {
    const { head, skipped, tail } = buffer.take();
    if (skipped > 0) {
      await this.screen.print(head);
      await this.screen.startLine();
      await this.screen.print(`\x1b[2m… ${skipped.toLocaleString("en")} characters left out …\x1b[m\n`);
    }
    await this.screen.print(tail);
  }
}

/** Control characters of a command are shown, not obeyed. */
function shownCommand(command: string): string {
  const text = command.slice(0, maxCommandLength).toWellFormed().trimEnd();
  const lines = text.split(/\r?\n/);
  const shown = lines.slice(0, maxCommandLines).join("\n  ");
  const isCut = command.trimEnd().length > text.length || lines.length > maxCommandLines;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to replace
  return (isCut ? `${shown} …` : shown).replace(/[\u0000-\u0009\u000b-\u001f]/g, (character) =>
    String.fromCharCode(0x2400 + character.charCodeAt(0)),
  );
}
