import { isPlainObject } from "@muster/language/json";
import type { StreamEvent } from "../api/sessions.ts";
import type { Output } from "../output.ts";
import { optionalText } from "../read.ts";
import { Printer } from "../turn/printer.ts";

const shellTool = "shell__run_command";

/** Shows the steps of an agent: */
export class WorkPrinter {
  readonly #out: Output;
  readonly #printer: Printer;
  /** Calls that run a command. */
  readonly #commands = new Set<string>();
  /** Whether the output of a command has not ended its line. */
  #isInLine = false;

  constructor(out: Output) {
    this.#out = out;
    this.#printer = new Printer(out, { textIsResult: true });
  }

  show(event: StreamEvent): void {
    if (event.type === "computer-output") this.#output(optionalText(event, "text") ?? "");
    else if (event.type === "thread-status") this.#status(String(event.status));
    else if (event.type === "tool-request") this.#calls(event.toolCalls);
    else if (event.type === "tool-input-available")
      this.#call(String(event.toolCallId), String(event.toolName), event.input);
    else if (!this.#isOfCommand(event)) {
      this.#endOutput();
      this.#printer.show(event);
    }
  }

  end(): void {
    this.#endOutput();
    this.#printer.end();
  }

  #status(status: string): void {
    this.#endOutput();
    this.#printer.note(`[${status}]`);
  }

  #calls(calls: unknown): void {
    for (const call of Array.isArray(calls) ? calls.filter(isPlainObject) : [])
      this.#call(String(call.toolCallId), String(call.toolName), call.args);
  }

  #call(id: string, name: string, args: unknown): void {
    const command = name === shellTool && isPlainObject(args) ? optionalText(args, "command") : undefined;
    if (command === undefined) {
      this.#endOutput();
      this.#printer.call(id, name, args);
    } else if (!this.#commands.has(id)) {
      this.#endOutput();
      this.#commands.add(id);
      this.#printer.name(id, name);
      this.#printer.note(`$ ${command}`);
    }
  }

  /** The result of a command repeats its output, which has been shown; a failure of the call has not. */
  #isOfCommand(event: StreamEvent): boolean {
    return event.type === "tool-output-available" && this.#commands.has(String(event.toolCallId));
  }

  #output(text: string): void {
    if (text === "") return;
    if (!this.#isInLine) this.#printer.end();
    this.#out.notePiece(text);
    this.#isInLine = !text.endsWith("\n");
  }

  #endOutput(): void {
    if (this.#isInLine) this.#out.notePiece("\n");
    this.#isInLine = false;
  }
}
