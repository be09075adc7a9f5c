import { createInterface, type Interface } from "node:readline";
import type { Io } from "../process-io.ts";
import type { Interrupts } from "../turn/interrupts.ts";

const maxWaiting = 1_000;

/**
 * The lines that the user types or pipes in: messages, and at a terminal also answers to questions. A line that was
 * typed before a question is a message.
 */
export class UserLines {
  readonly isTerminal: boolean;
  readonly #io: Io;
  readonly #interrupts: Pick<Interrupts, "leaving" | "fire" | "userContinues">;
  readonly #typed: string[] = [];
  #interface: Interface | undefined;
  #isOver = false;
  #question: ((line: string) => void) | undefined;
  #wake = () => {};

  constructor(io: Io, interrupts: Pick<Interrupts, "leaving" | "fire" | "userContinues">) {
    this.isTerminal = io.stdin.isTTY === true;
    this.#io = io;
    this.#interrupts = interrupts;
    interrupts.leaving.addEventListener("abort", () => this.close());
  }

  /** Yields one message for each line that is not blank, until the input ends or the user leaves. */
  async *messages(): AsyncGenerator<string> {
    for (;;) {
      this.#prompt("> ");
      while (this.#typed.length === 0 && !this.#isOver) {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
      const line = this.#typed.shift();
      if (line === undefined) return;
      if (!this.#isOver) this.#interface?.resume();
      this.#interrupts.userContinues();
      if (line.trim() !== "") yield line;
    }
  }

  /** The line that the user types after a prompt; empty if the input ends or the question is withdrawn. */
  async ask(prompt: string): Promise<string> {
    this.#open();
    if (this.#isOver) return "";
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#question = resolve;
    this.#prompt(prompt);
    return promise;
  }

  /** Answers an open question with an empty line. */
  withdraw(): void {
    this.#question?.("");
    this.#question = undefined;
  }

  close(): void {
    this.#interface?.close();
    this.#end();
  }

  #prompt(text: string): void {
    const lines = this.#open();
    if (!this.isTerminal || this.#isOver) return;
    lines.setPrompt(text);
    lines.prompt();
  }

  #open(): Interface {
    if (this.#interface !== undefined) return this.#interface;
    // Only replies go to standard output, so the prompt does not.
    const { stdin: input, stderr: output } = this.#io;
    const lines = createInterface({ input, output, terminal: this.isTerminal });
    // A terminal in raw mode sends Ctrl-C as a key instead of a signal.
    lines.on("SIGINT", () => this.#interrupts.fire());
    lines.on("line", (line) => this.#take(line));
    lines.on("close", () => this.#end());
    this.#interface = lines;
    return lines;
  }

  #take(line: string): void {
    // A long input waits in its pipe.
    if (!this.isTerminal && this.#typed.length >= maxWaiting) this.#interface?.pause();
    if (this.#question === undefined) this.#typed.push(line);
    else this.#question(line);
    this.#question = undefined;
    this.#wake();
  }

  #end(): void {
    this.#isOver = true;
    this.withdraw();
    this.#wake();
  }
}
