import { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import type { ExitCode } from "../../src/exit.ts";
import type { Io } from "../../src/process-io.ts";
import { run } from "../../src/run.ts";

export interface Setup {
  env?: Record<string, string>;
  cwd?: string;
  /** The whole input; empty by default. On a terminal, use `type` instead. */
  input?: string;
  terminal?: boolean;
  /** Replaces the standard output that `out` collects. */
  stdout?: Writable;
  now?: () => number;
}

export interface Finished {
  code: ExitCode;
  /** Standard output. */
  out: string;
  /** Standard error. */
  err: string;
}

/** Collects output, and a test can wait for it. */
class Collector extends Writable {
  text = "";
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    this.emit("added");
    done();
  }
}

/** A running command with a simulated user. */
export class StartedMuster {
  readonly finished: Promise<Finished>;
  readonly #stdin: PassThrough & { isTTY?: boolean } = new PassThrough();
  readonly #out: Collector;
  readonly #err: Collector;
  readonly #signals = new EventEmitter();

  constructor(args: readonly string[], setup: Setup) {
    const { terminal = false, env = {}, cwd = "/", input } = setup;
    if (terminal) this.#stdin.isTTY = true;
    this.#out = new Collector(terminal);
    this.#err = new Collector(terminal);
    if (input !== undefined) this.#stdin.end(input);
    else if (!terminal) this.#stdin.end();
    const io: Io = {
      stdin: this.#stdin,
      stdout: setup.stdout ?? this.#out,
      stderr: this.#err,
      env,
      program: "muster",
      cwd,
      now: setup.now ?? (() => Date.now()),
      onInterrupt: (listener) => {
        this.#signals.on("interrupt", listener);
        return () => {
          this.#signals.off("interrupt", listener);
        };
      },
    };
    this.finished = run(args, io).then((code) => ({ code, out: this.#out.text, err: this.#err.text }));
  }

  type(text: string): void {
    this.#stdin.write(text);
  }

  /** Ctrl-D. */
  endInput(): void {
    this.#stdin.end();
  }

  /** Ctrl-C. */
  interrupt(): void {
    this.#signals.emit("interrupt");
  }

  /** Returns once either stream contains the pattern, after `count` earlier matches. */
  async shown(pattern: RegExp, count = 0): Promise<void> {
    const all = () => [...(this.#out.text + this.#err.text).matchAll(new RegExp(pattern, "g"))].length;
    const controller = new AbortController();
    const ended = this.finished.then(() => {
      controller.abort();
    });
    while (all() <= count) {
      const { signal } = controller;
      if (signal.aborted) throw new Error(`ended without ${pattern}: ${this.#out.text}${this.#err.text}`);
      const added = Promise.withResolvers<void>();
      this.#out.once("added", added.resolve);
      this.#err.once("added", added.resolve);
      await Promise.race([added.promise, ended]);
      for (const stream of [this.#out, this.#err]) stream.off("added", added.resolve);
    }
  }
}

/** Runs a command line to completion. */
export function muster(args: readonly string[], setup: Setup = {}): Promise<Finished> {
  return new StartedMuster(args, setup).finished;
}
