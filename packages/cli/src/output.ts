import type { Writable } from "node:stream";
import { styleText } from "node:util";
import type { Io, Terminal } from "./io.ts";

export type Style = Parameters<typeof styleText>[0];

/**
 * The only way to standard output and error. What the command is asked for goes to output, everything else (notes,
 * questions, failures) to error; with `--json` output carries one JSON document and nothing else.
 */
export class Output {
  readonly json: boolean;
  readonly #out: Channel;
  readonly #err: Channel;

  constructor(io: Io, json: boolean) {
    this.json = json;
    this.#out = new Channel(io.stdout, io.env);
    this.#err = new Channel(io.stderr, io.env);
  }

  /** Whether the reader of standard output has gone. */
  get isClosed(): boolean {
    return this.#out.closed;
  }

  /** What went wrong with a stream, except for readers that have gone. */
  get failure(): Error | undefined {
    return this.#out.failure ?? this.#err.failure;
  }

  /** Returns when everything has been written, or cannot be. */
  async flushed(): Promise<void> {
    await Promise.all([this.#out.lastWrite, this.#err.lastWrite]);
  }

  /** A line of the answer; left out with `--json`. */
  line(text = ""): void {
    if (!this.json) this.#out.write(`${text}\n`);
  }

  /** A piece of the answer without a line break; left out with `--json`. */
  piece(text: string): void {
    if (!this.json) this.#out.write(text);
  }

  /** What was asked for with `--help` or `--version`, which is text also with `--json`. */
  help(text: string): void {
    this.#out.write(text);
  }

  /** The answer of `--json`, or of a format that is its own document. */
  document(value: unknown): void {
    this.#out.write(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** A line for the user that is not the answer. */
  note(text = ""): void {
    this.#err.write(`${text}\n`);
  }

  notePiece(text: string): void {
    this.#err.write(text);
  }

  /** Styles a text for standard output. */
  style(style: Style, text: string): string {
    return this.#out.style(style, text);
  }

  /** Styles a text for standard error. */
  noteStyle(style: Style, text: string): string {
    return this.#err.style(style, text);
  }
}

/** Terminals would obey them; what a model or another user wrote must not move the cursor. Our own colours may stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const commands = /\u001b(?!\[[\d;]*m)|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]/g;

class Channel {
  closed = false;
  failure: Error | undefined;
  lastWrite: Promise<void> = Promise.resolve();
  readonly #stream: Terminal<Writable>;
  readonly #colours: boolean;

  constructor(stream: Terminal<Writable>, env: Io["env"]) {
    this.#stream = stream;
    this.#colours = usesColours(stream, env);
    // The callback of the write has said it; without a listener it would end the process.
    stream.on("error", (error: Error) => this.#fail(error));
  }

  write(text: string): void {
    if (this.closed || text === "") return;
    const shown = this.#stream.isTTY === true ? text.replace(/\r(?!\n)/g, "␍").replace(commands, "�") : text;
    const written = Promise.withResolvers<void>();
    this.#stream.write(shown, (error) => {
      if (error) this.#fail(error);
      written.resolve();
    });
    this.lastWrite = written.promise;
  }

  /** A reader that has gone, as `head` does, is no failure. */
  #fail(error: Error): void {
    if (this.closed) return;
    this.closed = true;
    if (!("code" in error) || error.code !== "EPIPE") this.failure = error;
  }

  style(style: Style, text: string): string {
    return this.#colours ? styleText(style, text, { validateStream: false }) : text;
  }
}

/** As Node decides it: FORCE_COLOR, then NO_COLOR, then whether a terminal is there that knows colours. */
function usesColours(stream: Terminal<Writable>, env: Io["env"]): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env;
  if (force !== undefined) return force !== "0" && force !== "false";
  if (no !== undefined && no !== "") return false;
  return stream.isTTY === true && term !== "dumb";
}
