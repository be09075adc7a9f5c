import { TurnText } from "@muster/client/turn-text";
import { isPlainObject } from "@muster/language/json";
import { isPause, type StreamEvent, type ToolResult } from "../api/sessions.ts";
import { optionalText } from "../read.ts";
import type { ToolAnswers } from "../tools/tool-answers.ts";
import type { ToolCall } from "../tools/tool-call.ts";
import type { Printer } from "./printer.ts";

/** The requests of a turn or of a worker's run: one to start, then one for each pause. */
export interface TurnRequests {
  /** They run a worker, not a turn of a session. */
  isWorkerRun?: boolean;
  start(signal: AbortSignal): AsyncIterable<StreamEvent>;
  resume(
    executionId: string,
    toolResults: readonly ToolResult[],
    signal: AbortSignal,
  ): AsyncIterable<StreamEvent> | readonly StreamEvent[];
  /**
   * Puts calls that wait for decisions to the user, and returns the events after the pause, also if only services have to answer;
   * undefined if the turn still waits for the user. Absent: no call of such a turn ever waits.
   */
  decide?(
    executionId: string,
    approvalIds: readonly string[],
    signal: AbortSignal,
  ): Promise<AsyncIterable<StreamEvent> | undefined>;
}

/** The outcome of a turn. */
export interface Turn {
  /** The full reply, without discarded steps, and without what workers inside the turn have written. */
  text: string;
  readonly toolCalls: ToolCall[];
  /** The ids of approvals that the turn waits for; absent if it has ended. */
  approvals?: readonly string[];
  finishReason: string | null;
  error: { readonly errorType: string; readonly message: string } | null;
  /** The result of a worker; absent for other turns, and for workers without an output. */
  output?: unknown;
  /** Cost and tokens of a worker's run. */
  usage?: StreamEvent;
}

interface Following {
  readonly tools: ToolAnswers;
  readonly printer: Printer;
  /** Aborting closes the stream, which cancels the turn. */
  readonly signal: AbortSignal;
}

/** Follows a turn to its end. When it pauses for tools or decisions, their answers continue it. */
export async function runTurn(requests: TurnRequests, { tools, printer, signal }: Following): Promise<Turn> {
  const turn: Turn = { text: "", toolCalls: [], finishReason: null, error: null };
  const text = new TurnText();
  const workers = new InnerWorkers({ isWorkerRun: requests.isWorkerRun ?? false });
  let events: ReturnType<TurnRequests["resume"]> = requests.start(signal);
  let executionId = "";
  for (;;) {
    const reader = new TurnReader(turn, { text, printer, workers });
    for await (const event of events) reader.take(event);
    // The events after a pause have no other start.
    executionId = reader.executionId ?? executionId;
    if (reader.isPaused) {
      printer.end();
      const continued = await requests.decide?.(executionId, reader.asked, signal);
      if (continued === undefined) {
        turn.approvals = reader.asked;
        break;
      }
      events = continued;
      continue;
    }
    if (reader.pending.length === 0) break;
    const results = await Promise.all(reader.pending.map((call) => tools.answer(call, signal)));
    for (const name of new Set(reader.pending.map(({ toolName }) => toolName)))
      if (!tools.has(name))
        printer.note(`[${name} has no result here; to set one, add --tool ${name}=RESULT]`);
    events = requests.resume(executionId, results, signal);
  }
  printer.end();
  return turn;
}

/** Reads one stream of a turn. */
class TurnReader {
  /** Calls that wait for results. */
  pending: readonly ToolCall[] = [];
  /** Ids of the approvals that the turn waits for. */
  asked: readonly string[] = [];
  /** The turn waits for users or services. */
  isPaused = false;
  executionId: string | undefined;
  readonly #turn: Turn;
  readonly #printer: Printer;
  readonly #workers: InnerWorkers;
  readonly #text: TurnText;

  constructor(turn: Turn, parts: { text: TurnText; printer: Printer; workers: InnerWorkers }) {
    this.#turn = turn;
    this.#text = parts.text;
    this.#printer = parts.printer;
    this.#workers = parts.workers;
  }

  take(event: StreamEvent): void {
    const turn = this.#turn;
    const worker = this.#workers.workerOf(event);
    this.#text.take(event, worker?.id ?? "");
    turn.text = this.#text.text;
    if (worker !== undefined) {
      this.#printer.showOfWorker(event, worker.slug);
      return;
    }
    this.#printer.show(event);
    switch (event.type) {
      case "start":
        this.executionId = String(event.executionId);
        break;
      case "tool-request":
        this.#request(event.toolCalls);
        break;
      case "worker-result":
        if (event.output !== undefined) turn.output = event.output;
        break;
      case "usage":
        turn.usage = event;
        break;
      case "finish":
        turn.finishReason = String(event.finishReason);
        this.asked = approvalIdsIn(event.approvals);
        this.isPaused = isPause(event);
        break;
      case "error":
        turn.error = { errorType: String(event.errorType), message: String(event.message) };
        break;
      default:
    }
  }

  #request(calls: unknown): void {
    const requested = Array.isArray(calls) ? calls.filter(isPlainObject) : [];
    this.pending = requested.map(({ toolCallId, toolName, args }) => ({
      toolCallId: String(toolCallId),
      toolName: String(toolName),
      args,
    }));
    for (const call of this.pending) {
      this.#turn.toolCalls.push(call);
      this.#printer.call(call.toolCallId, call.toolName, call.args);
    }
  }
}

function approvalIdsIn(approvals: unknown): string[] {
  const list = Array.isArray(approvals) ? approvals.filter(isPlainObject) : [];
  return list.map(({ approvalId }) => String(approvalId));
}

/** Tells the events of workers that run inside a turn, or inside the worker that was started, from its own. */
class InnerWorkers {
  readonly #isWorkerRun: boolean;
  /** The id of the worker that was started: the first that the stream names. */
  #ownId: string | undefined;
  readonly #slugs = new Map<string, string>();

  constructor({ isWorkerRun }: { isWorkerRun: boolean }) {
    this.#isWorkerRun = isWorkerRun;
  }

  /** The worker that an event belongs to; undefined for an event of the turn itself. Takes each event once, in their order. */
  workerOf(event: StreamEvent): { id: string; slug: string } | undefined {
    const id = optionalText(event, "workerId");
    if (id === undefined) return undefined;
    const slug = optionalText(event, "workerSlug");
    if (slug !== undefined) this.#slugs.set(id, slug);
    if (this.#isWorkerRun && event.type === "worker-start") this.#ownId ??= id;
    return id === this.#ownId ? undefined : { id, slug: this.#slugs.get(id) ?? "worker" };
  }
}
