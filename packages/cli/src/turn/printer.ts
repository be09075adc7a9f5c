import { isPlainObject } from "@muster/language/json";
import type { StreamEvent } from "../api/sessions.ts";
import type { Output, Style } from "../output.ts";
import { optionalText } from "../read.ts";

/**
 * Shows the events of a turn as they arrive: the agent's text on standard output; reasoning, tools, workers and
 * errors on standard error.
 */
export class Printer {
  readonly #out: Output;
  readonly #textIsResult: boolean;
  /** The kind of text on an unfinished line, which is ended before anything else is shown. */
  #open: "text" | "reasoning" | undefined;
  /** Ids of calls whose arguments have been shown. */
  readonly #shownCalls = new Set<string>();
  readonly #names = new Map<string, string>();

  /** If the text is not the result of the command, it goes to standard error as well. */
  constructor(out: Output, { textIsResult }: { textIsResult: boolean }) {
    this.#out = out;
    this.#textIsResult = textIsResult;
  }

  show(event: StreamEvent): void {
    const delta = optionalText(event, "delta") ?? "";
    if (event.type === "text-delta") this.#text(delta);
    else if (event.type === "reasoning-delta") this.#reasoning(delta);
    else this.#showWhole(event);
  }

  /**
   * The lines of a worker inside the turn: its input, calls and result. The worker's output would mix with the texts of
   * others.
   */
  showOfWorker(event: StreamEvent, slug: string): void {
    if (event.type === "worker-start") this.#line("cyan", `[${slug}${after(" ", event.input)}]`);
    else if (event.type === "worker-result") this.#line(...resultOf(event, slug));
    else if (event.toolCallId !== undefined) this.#showWhole(event);
  }

  /** Shows a line about the turn. */
  note(text: string): void {
    this.#line("dim", text);
  }

  end(): void {
    this.#endLine();
  }

  /** Shows the value of a variable or resource. */
  value(name: string, value: unknown): void {
    this.#line("dim", `[${name} = ${compact(value)}]`);
  }

  #showWhole(event: StreamEvent): void {
    const id = String(event.toolCallId);
    const name = optionalText(event, "toolName") ?? this.#names.get(id) ?? "tool";
    if (event.type === "tool-input-available") this.call(id, name, event.input);
    if (event.type === "finish") this.#openCalls(event.openCalls);
    const line = lineOf(event, name);
    if (line !== undefined) this.#line(...line);
    else if (event.type === "text-end" || event.type === "reasoning-end") this.#endLine();
  }

  /** One line for each call that a service has accepted, and answers later. */
  #openCalls(calls: unknown): void {
    for (const { toolName, expiresAt } of Array.isArray(calls) ? calls.filter(isPlainObject) : []) {
      const end = this.#out.time(String(expiresAt));
      this.note(`[${String(toolName)} waits for its service, expires ${end}]`);
    }
  }

  /** Remembers the name of a call for its outcome. */
  name(toolCallId: string, name: string): void {
    this.#names.set(toolCallId, name);
  }

  /** Shows a call with its arguments, once, although several events report it. */
  call(toolCallId: string, name: string, args: unknown): void {
    this.name(toolCallId, name);
    if (this.#shownCalls.has(toolCallId)) return;
    this.#shownCalls.add(toolCallId);
    this.#line("cyan", `[${name} ${compact(args)}]`);
  }

  #text(delta: string): void {
    if (this.#open === "reasoning") this.#endLine();
    this.#piece(delta);
    if (delta !== "") this.#open = delta.endsWith("\n") ? undefined : "text";
  }

  #piece(text: string): void {
    if (this.#textIsResult) this.#out.piece(text);
    else this.#out.notePiece(text);
  }

  #reasoning(delta: string): void {
    if (this.#open === "text") this.#endLine();
    this.#out.notePiece(this.#out.noteStyle("dim", delta));
    if (delta !== "") this.#open = delta.endsWith("\n") ? undefined : "reasoning";
  }

  #line(style: Style, text: string): void {
    this.#endLine();
    this.#out.note(this.#out.noteStyle(style, text));
  }

  #endLine(): void {
    if (this.#open === "text") this.#piece("\n");
    if (this.#open === "reasoning") this.#out.notePiece("\n");
    this.#open = undefined;
  }
}

function resultOf({ output, error, cancelled }: StreamEvent, slug: string): [style: Style, text: string] {
  if (typeof error === "string") return ["red", `  ${slug} failed: ${error}`];
  return ["green", `  ${slug}${cancelled === true ? " was cancelled" : after(" -> ", output, " is done")}`];
}

/** The value after some text, or a text without it: the display of a worker can hide it. */
function after(text: string, value: unknown, otherwise = ""): string {
  return value === undefined ? otherwise : `${text}${compact(value)}`;
}

/** The line for an event that gets one of its own. */
function lineOf(event: StreamEvent, toolName: string): [style: Style, text: string] | undefined {
  switch (event.type) {
    case "step-discard":
      return ["dim", "[the output of this step was discarded]"];
    case "tool-output-available":
      return ["green", `  ${toolName} -> ${compact(event.output)}`];
    case "tool-output-error":
      return ["red", `  ${toolName} failed: ${optionalText(event, "error") ?? compact(event.error)}`];
    case "resource-update":
      return ["dim", `[${String(event.name)} = ${compact(event.value)}]`];
    case "error":
      return ["red", `Error: ${String(event.message)} (${String(event.errorType)})`];
    default:
      return undefined;
  }
}

const maxShownLength = 2_000;

function compact(value: unknown): string {
  const text = value === undefined ? "" : JSON.stringify(value);
  return text.length <= maxShownLength
    ? text
    : `${text.slice(0, maxShownLength)}… (${text.length} characters)`;
}
