import type { Writable } from "node:stream";
import { styleText } from "node:util";
import { type Hint, hintText } from "./hint-text.ts";
import type { Io, Terminal } from "./process-io.ts";

export type Style = Parameters<typeof styleText>[0];

/**
 * The only way to standard output and standard error. Results go to standard output; notes, questions and errors go to
 * standard error. With `--json`, standard output is one JSON document and nothing else.
 */
export class Output {
  readonly json: boolean;
  readonly #out: Channel;
  readonly #err: Channel;
  readonly #program: string;

  constructor(io: Io, json: boolean) {
    this.json = json;
    this.#out = new Channel(io.stdout, io.env);
    this.#err = new Channel(io.stderr, io.env);
    this.#program = io.program;
    this.width = (io.stdout.isTTY === true ? io.stdout.columns : undefined) ?? Number.POSITIVE_INFINITY;
  }

  /** Columns of the terminal at standard output; infinite if it is not a terminal. */
  readonly width: number;

  /** Whether the reader of standard output has closed it. */
  get isClosed(): boolean {
    return this.#out.closed;
  }

  /** The error of a stream, unless its reader closed it. */
  get failure(): Error | undefined {
    return this.#out.failure ?? this.#err.failure;
  }

  /** Returns once everything has been written or has failed. */
  async flushed(): Promise<void> {
    await Promise.all([this.#out.lastWrite, this.#err.lastWrite]);
  }

  /** Prints a line of the result; omitted with `--json`. */
  line(text = ""): void {
    if (!this.json) this.#out.write(`${text}\n`);
  }

  /** Prints a part of the result without a line break; omitted with `--json`. */
  piece(text: string): void {
    if (!this.json) this.#out.write(text);
  }

  /** Prints the text of `--help` or `--version`, also with `--json`. */
  help(text: string): void {
    this.#out.write(text);
  }

  /** Prints the result of `--json`, or of a format that is a JSON document. */
  document(value: unknown): void {
    this.#out.write(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** Prints a line to standard error. */
  note(text = ""): void {
    this.#err.write(`${text}\n`);
  }

  /** Prints a command line to continue with, to standard error. */
  hint(hint: Hint): void {
    this.note(hintText(hint, this.#program));
  }

  notePiece(text: string): void {
    this.#err.write(text);
  }

  /** Styles text for standard output. */
  style(style: Style, text: string): string {
    return this.#out.style(style, text);
  }

  /** Styles text for standard error. */
  noteStyle(style: Style, text: string): string {
    return this.#err.style(style, text);
  }
}

/** Terminals obey these characters, so text from models and users must not contain them. Colours are kept. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
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
    // The write callback also reports it, but an error event without a listener ends the process.
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

  /** A reader that closes early, such as `head`, is not an error. */
  #fail(error: Error): void {
    if (this.closed) return;
    this.closed = true;
    if (!("code" in error) || error.code !== "EPIPE") this.failure = error;
  }

  style(style: Style, text: string): string {
    return this.#colours ? styleText(style, text, { validateStream: false }) : text;
  }
}

/** In the same order as Node: FORCE_COLOR, then NO_COLOR, then whether the terminal supports colours. */
function usesColours(stream: Terminal<Writable>, env: Io["env"]): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env;
  if (force !== undefined) return force !== "0" && force !== "false";
  if (no !== undefined && no !== "") return false;
  return stream.isTTY === true && term !== "dumb";
}
