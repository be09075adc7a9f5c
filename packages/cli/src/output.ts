import type { Writable } from "node:stream";
import { styleText } from "node:util";
import { type Hint, hintText } from "./hint-text.ts";
import type { Io, Terminal } from "./process-io.ts";
import { timeText } from "./time-text.ts";

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
  readonly #now: () => number;
  readonly #progress: ProgressLine;

  constructor(io: Io, json: boolean) {
    this.json = json;
    this.#progress = new ProgressLine(io.stderr);
    this.#out = new Channel(io.stdout, io.env, this.#progress);
    this.#err = new Channel(io.stderr, io.env, this.#progress);
    this.#program = io.program;
    this.#now = io.now;
    // A terminal that does not report its size, such as that of `docker exec`, has 0.
    this.width = io.stdout.isTTY === true ? io.stdout.columns || 80 : Number.POSITIVE_INFINITY;
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

  /**
   * Shows the progress of the command on one line of the terminal at standard error, until it prints something else;
   * nothing if standard error is not a terminal. An empty text removes the line.
   */
  progress(text: string): void {
    this.#progress.show(text);
  }

  /**
   * Shows as progress a reason to wait and the time so far, whenever nothing was printed for a second; nothing while the reason
   * is undefined. Call the returned function at the end.
   */
  waiting(text: () => string | undefined): () => void {
    const start = performance.now();
    const timer = setInterval(() => {
      const seconds = Math.round((performance.now() - start) / 1_000);
      const reason = text();
      if (reason !== undefined && this.#progress.quietMs >= quietMs)
        this.progress(`${reason} (${seconds} s)`);
    }, quietMs);
    return () => {
      clearInterval(timer);
      this.progress("");
    };
  }

  /** Call when the user has ended a line that this command began, such as a question. */
  lineEnded(): void {
    this.#progress.isAtStart = true;
  }

  /** An ISO 8601 time as users read it: relative to now on a terminal, such as `2 min ago`, and unchanged elsewhere. */
  time(iso: string): string {
    return Number.isFinite(this.width) ? timeText(iso, this.#now()) : iso;
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

/** How long nothing is printed before a command shows that it waits. */
const quietMs = 1_000;

function clean(text: string): string {
  return text.replace(/\r(?!\n)/g, "␍").replace(commands, "�");
}

/** The last line of the terminal at standard error, while it shows progress. */
class ProgressLine {
  readonly #stream: Terminal<Writable>;
  #isShown = false;
  #lastWrite = performance.now();
  /** Whether the cursor is at the beginning of a line; elsewhere, progress would overwrite a text. */
  isAtStart = true;

  constructor(stream: Terminal<Writable>) {
    this.#stream = stream;
  }

  /** Time since other output. */
  get quietMs(): number {
    return performance.now() - this.#lastWrite;
  }

  show(text: string): void {
    if (this.#stream.isTTY !== true || !this.isAtStart) return;
    this.#clear();
    if (text === "") return;
    const shown = clean(text.replace(/\s+/g, " "));
    this.#stream.write(shown.slice(0, (this.#stream.columns ?? 80) - 1));
    this.#isShown = true;
  }

  /** Makes room for other output. */
  beforeWrite(stream: Terminal<Writable>, text: string): void {
    this.#clear();
    this.#lastWrite = performance.now();
    if (stream.isTTY === true) this.isAtStart = text.endsWith("\n");
  }

  #clear(): void {
    if (this.#isShown) this.#stream.write("\r\u001b[K");
    this.#isShown = false;
  }
}

class Channel {
  closed = false;
  failure: Error | undefined;
  lastWrite: Promise<void> = Promise.resolve();
  readonly #stream: Terminal<Writable>;
  readonly #colours: boolean;

  readonly #progress: ProgressLine;

  constructor(stream: Terminal<Writable>, env: Io["env"], progress: ProgressLine) {
    this.#stream = stream;
    this.#progress = progress;
    this.#colours = usesColours(stream, env);
    // The write callback also reports it, but an error event without a listener ends the process.
    stream.on("error", (error: Error) => this.#fail(error));
  }

  write(text: string): void {
    if (this.closed || text === "") return;
    const shown = this.#stream.isTTY === true ? clean(text) : text;
    this.#progress.beforeWrite(this.#stream, shown);
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
