import { type StreamEvent, type ToolResult, type Trigger, trigger } from "../api/sessions.ts";
import type { Api } from "../http/api.ts";
import { isRecord, optionalText } from "../read.ts";
import type { Printer } from "./printer.ts";

const noTools = "muster chat does not execute tools, so this call has no result. Continue without it.";

export interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
}

/** The outcome of one message. */
export interface Turn {
  /** Null if the trigger accepts none. */
  readonly message: string | null;
  /** The full reply, without discarded steps. */
  text: string;
  readonly toolCalls: ToolCall[];
  finishReason: string | null;
  error: { readonly errorType: string; readonly message: string } | null;
}

/**
 * Sends a message and follows the turn to its end. When the turn pauses for tools, every call gets an error as its
 * result. Aborting closes the stream, which cancels the turn.
 */
export async function runTurn(
  api: Api,
  sessionId: string,
  { message, first }: { message: string | null; first: Trigger },
  printer: Printer,
  signal: AbortSignal,
): Promise<Turn> {
  const turn: Turn = { message, text: "", toolCalls: [], finishReason: null, error: null };
  for (let next: Trigger | undefined = first; next !== undefined; ) {
    const reader = new TurnReader(turn, printer);
    for await (const event of trigger(api, sessionId, next, signal)) reader.take(event);
    next = reader.continuation(first.triggerName);
  }
  printer.end();
  return turn;
}

/** Reads one stream of a turn. */
class TurnReader {
  readonly #turn: Turn;
  readonly #printer: Printer;
  #executionId = "";
  /** Length of the text when the step began. A discarded step is cut back to it. */
  #stepStart: number;
  #waiting: ToolCall[] = [];

  constructor(turn: Turn, printer: Printer) {
    this.#turn = turn;
    this.#printer = printer;
    this.#stepStart = turn.text.length;
  }

  take(event: StreamEvent): void {
    const turn = this.#turn;
    this.#printer.show(event);
    switch (event.type) {
      case "start":
        this.#executionId = String(event.executionId);
        break;
      case "block-start":
      case "step-start":
        this.#stepStart = turn.text.length;
        break;
      case "step-discard":
        turn.text = turn.text.slice(0, this.#stepStart);
        break;
      case "text-delta":
        turn.text += optionalText(event, "delta") ?? "";
        break;
      case "tool-request":
        this.#request(event.toolCalls);
        break;
      case "finish":
        turn.finishReason = String(event.finishReason);
        break;
      case "error":
        turn.error = { errorType: String(event.errorType), message: String(event.message) };
        break;
      default:
    }
  }

  /** The request that continues a paused turn; undefined if the turn has ended. */
  continuation(triggerName: string): Trigger | undefined {
    if (this.#waiting.length === 0) return undefined;
    const toolResults = this.#waiting.map(
      ({ toolCallId, toolName }): ToolResult => ({ toolCallId, toolName, error: noTools }),
    );
    this.#printer.note(
      "[muster chat does not execute tools; the agent receives an error instead of a result]",
    );
    return { triggerName, executionId: this.#executionId, toolResults };
  }

  #request(calls: unknown): void {
    const requested = Array.isArray(calls) ? calls.filter(isRecord) : [];
    this.#waiting = requested.map(({ toolCallId, toolName, args }) => ({
      toolCallId: String(toolCallId),
      toolName: String(toolName),
      args,
    }));
    for (const call of this.#waiting) {
      this.#turn.toolCalls.push(call);
      this.#printer.call(call.toolCallId, call.toolName, call.args);
    }
  }
}
