import { MusterError, NotSentError } from "./errors.ts";
import type { Http } from "./http.ts";
import { type ApprovalHandler, handlerOf, type ToolHandlers, toToolResult } from "./tool-result.ts";
import { TurnText } from "./turn-text.ts";
import type {
  ErrorEvent,
  FinishEvent,
  OpenToolCall,
  RequestedApproval,
  RequestedToolCall,
  StreamEvent,
  ToolResult,
  UsageEvent,
} from "./wire-types.ts";

export interface TurnOptions {
  /** Execute the agent's tools. With a handler for each open call, the turn continues by itself; otherwise it ends there. */
  tools?: ToolHandlers | undefined;
  /** Decides about calls that wait for approval. Without it, reading ends there. */
  onApproval?: ApprovalHandler | undefined;
  /** Stops reading. The turn itself continues on the server: `cancel` ends it. */
  signal?: AbortSignal | undefined;
}

/** The outcome of a turn that has ended, or that waits. */
export interface TurnResult {
  sessionId: string | undefined;
  executionId: string;
  /** The assistant message. */
  messageId: string;
  /** All text that users see, without that of workers. */
  text: string;
  finishReason: FinishEvent["finishReason"];
  /** Calls without a handler, for `session.continue`. */
  toolCalls: readonly RequestedToolCall[];
  /** Decisions that the turn waits for; `session.attach` reads the rest. */
  approvals: readonly RequestedApproval[];
  /** Results of services that the turn waits for, likewise. */
  openCalls: readonly OpenToolCall[];
  /** Only of a trigger with `usage`, and of a worker. */
  usage: UsageEvent | undefined;
  /** The value of a worker. */
  output: unknown;
}

/** The requests of a kind of turn, each in one attempt. */
export interface TurnRoutes {
  /** Begins the turn. Absent if it has begun. */
  begin?(): Promise<Response>;
  /** Whether `begin` can be repeated without another effect. */
  isRepeatable?: boolean | undefined;
  /** Begins by continuing the turn with these. */
  toolResults?: ToolResult[] | undefined;
  /** Reads the events after a number. Absent if the server does not keep them. */
  resume?(executionId: string, after: number): Promise<Response>;
  continue(executionId: string, toolResults: ToolResult[]): Promise<Response>;
  decide?(approval: RequestedApproval, onApproval: ApprovalHandler): Promise<void>;
  cancel?(): Promise<unknown>;
  /** Whether reading continues while the turn waits for decisions and services. */
  followsPauses?: boolean | undefined;
  /** Whether it is a worker: the first one that its events name. */
  isWorker?: boolean | undefined;
}

/** The place from which a turn is read. */
export interface TurnPlace {
  /** Undefined in a turn of which nothing has been read: attaching to it fails. */
  executionId: string | undefined;
  /** The number of the last event that has been read. Default: 0, so that all are. */
  after?: number | undefined;
}

/** A request whose `start` event has not arrived. */
interface Opening {
  send(): Promise<Response>;
  isRepeatable: boolean;
}

/**
 * A turn, as the events of its stream or as its result. The request is sent when you begin to read, and it is read once. A
 * connection that breaks is replaced, so that each event arrives once, in order.
 */
export class Turn implements AsyncIterable<StreamEvent> {
  /** Undefined until the first event. */
  executionId: string | undefined;
  sessionId: string | undefined;
  /** The number of the last event, for `session.attach`. */
  after: number;
  readonly #http: Http;
  readonly #routes: TurnRoutes;
  readonly #options: TurnOptions;
  readonly #text = new TurnText();
  readonly #answered = new Set<string>();
  #opening: Opening | undefined;
  #isRead = false;
  readonly #ended: Promise<void>;
  #end: (error?: unknown) => void = () => undefined;
  #messageId = "";
  #finish: FinishEvent | undefined;
  #failure: ErrorEvent | undefined;
  #toolCalls: readonly RequestedToolCall[] = [];
  #usage: UsageEvent | undefined;
  #worker: string | undefined;
  #output: unknown;

  constructor(
    http: Http,
    routes: TurnRoutes,
    options: TurnOptions,
    { sessionId, executionId, after = 0 }: Partial<TurnPlace & { sessionId: string }> = {},
  ) {
    this.#http = http;
    this.#routes = routes;
    this.#options = options;
    this.sessionId = sessionId;
    this.executionId = executionId;
    this.after = after;
    this.#ended = new Promise((resolve, reject) => {
      this.#end = (error) => (error === undefined ? resolve() : reject(error));
    });
    // The reader of the events has the error as well.
    this.#ended.catch(() => undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    if (this.#isRead) throw new Error("A turn can be read once.");
    this.#isRead = true;
    const { begin, isRepeatable = false, toolResults } = this.#routes;
    this.#opening =
      toolResults === undefined
        ? begin && { send: begin, isRepeatable }
        : { send: this.#sending(toolResults), isRepeatable: true };
    try {
      yield* this.#follow();
      while (await this.#resolvePause()) yield* this.#follow();
      this.#end();
    } catch (error) {
      this.#end(error);
      throw error;
    } finally {
      // A loop that was left early has read a part of the text only.
      const isRead = (this.#finish ?? this.#failure) !== undefined;
      this.#end(isRead ? undefined : new Error("The turn was not read to its end."));
    }
  }

  /** The whole text. Rejects with a MusterError if the turn fails. */
  async text(): Promise<string> {
    return (await this.result()).text;
  }

  /**
   * Resolves at the end, or at a pause that no handler resolves, and reads until then unless a loop does. Rejects with a
   * MusterError if the turn fails, and if the loop is left before.
   */
  async result(): Promise<TurnResult> {
    if (!this.#isRead) for await (const _ of this);
    await this.#ended;
    if (this.#failure !== undefined) throw turnFailed(this.#failure);
    const { finishReason = "other", approvals = [], openCalls = [] } = this.#finish ?? {};
    return {
      sessionId: this.sessionId,
      executionId: this.executionId ?? "",
      messageId: this.#messageId,
      text: this.#text.text,
      finishReason,
      toolCalls: this.#toolCalls,
      approvals,
      openCalls,
      usage: this.#usage,
      output: this.#output,
    };
  }

  /**
   * Ends the turn on the server, which then ends its stream. Without effect before the first event, while it waits for tools,
   * and on a worker, which ends with its reader.
   */
  async cancel(): Promise<void> {
    if (this.sessionId !== undefined) await this.#routes.cancel?.();
  }

  async *#follow(): AsyncGenerator<StreamEvent, void, undefined> {
    const { signal } = this.#options;
    const opening = this.#opening;
    const first = opening?.isRepeatable === false ? await this.#sendOnce(opening) : undefined;
    const place = { after: opening === undefined ? this.after : 0, first, signal };
    const reopen = (after: number) => this.#reopen(after);
    for await (const { event, id } of this.#http.follow<StreamEvent>(reopen, place)) {
      this.after = id;
      this.#take(event);
      yield event;
      if (isPause(event) && this.#routes.followsPauses !== true) return;
    }
  }

  /** Repeats the request only if it was not sent, or refused for being too much: any other failure may come from a turn. */
  async #sendOnce({ send }: Opening): Promise<Response> {
    const patience = this.#http.patience(this.#options.signal);
    for (;;) {
      try {
        return await send();
      } catch (error) {
        this.#options.signal?.throwIfAborted();
        if (!(error instanceof MusterError)) throw error;
        const { status, code } = error;
        if (status !== 429 && !(error instanceof NotSentError)) {
          const isRefused = (status > 0 && status < 500) || code === "STORAGE_FULL";
          throw isRefused ? error : mayHaveBegun(error);
        }
        await patience.failed(error);
      }
    }
  }

  async #reopen(after: number): Promise<Response> {
    if (this.#opening?.isRepeatable === true) return this.#opening.send();
    const { resume } = this.#routes;
    if (this.#opening !== undefined || resume === undefined || this.executionId === undefined)
      throw mayHaveBegun();
    return resume(this.executionId, after);
  }

  /** Whether there is more to read. */
  async #resolvePause(): Promise<boolean> {
    const { tools = {}, onApproval, signal } = this.#options;
    const { approvals = [] } = this.#finish ?? {};
    const calls = this.#toolCalls;
    if (calls.length > 0) {
      if (!calls.every(({ toolName }) => handlerOf(tools, toolName) !== undefined)) return false;
      const results = await Promise.all(calls.map((call) => toToolResult(call, tools, signal)));
      this.#opening = { send: this.#sending(results), isRepeatable: true };
      return true;
    }
    const { decide } = this.#routes;
    if (approvals.length === 0 || onApproval === undefined || decide === undefined) return false;
    await Promise.all(approvals.map((approval) => decide(approval, onApproval)));
    return true;
  }

  /**
   * Results can be sent again: calls that have theirs are not open any longer, so that the server refuses a repetition. Then
   * the first attempt has continued the turn.
   */
  #sending(results: ToolResult[]): () => Promise<Response> {
    let isUnclear = false;
    const executionId = this.executionId ?? "";
    return async () => {
      const wasUnclear = isUnclear;
      isUnclear = true;
      try {
        return await this.#routes.continue(executionId, results);
      } catch (error) {
        const code = error instanceof MusterError ? error.code : undefined;
        const isRefused = code === "UNKNOWN_TOOL_CALL" || code === "SESSION_BUSY";
        if (wasUnclear && isRefused && this.#routes.resume !== undefined)
          return this.#routes.resume(executionId, 0);
        isUnclear = wasUnclear || !isRefused;
        throw error;
      }
    };
  }

  #take(event: StreamEvent): void {
    const workerId = "workerId" in event ? event.workerId : undefined;
    if (this.#routes.isWorker === true && event.type === "worker-start") this.#worker ??= workerId;
    const isOwn = workerId === undefined || workerId === this.#worker;
    this.#text.take(event, isOwn ? "" : workerId);
    switch (event.type) {
      case "start":
        this.#opening = undefined;
        this.#toolCalls = [];
        this.#finish = undefined;
        this.#messageId = event.messageId;
        this.executionId = event.executionId;
        this.sessionId ??= event.sessionId;
        break;
      case "tool-request":
        this.#request(event.toolCalls);
        break;
      case "worker-result":
        if (isOwn) this.#output = event.output;
        break;
      case "usage":
        this.#usage = event;
        break;
      case "finish":
        this.#finish = event;
        break;
      case "error":
        this.#failure = event;
        break;
      default:
    }
  }

  #request(calls: readonly RequestedToolCall[]): void {
    for (const { toolCallId } of calls) {
      // The turn was continued by another caller, or has been abandoned for another message.
      if (this.#answered.has(toolCallId))
        throw new MusterError("UNKNOWN_TOOL_CALL", "The turn no longer waits for these results.");
      this.#answered.add(toolCallId);
    }
    this.#toolCalls = calls;
  }
}

/** The turn waits for users or services, and continues by itself. */
function isPause(event: StreamEvent): boolean {
  return event.type === "finish" && (event.approvals ?? event.openCalls) !== undefined;
}

function mayHaveBegun(cause?: MusterError): MusterError {
  const reason = cause?.message ?? "The connection was lost.";
  return new MusterError("OUTCOME_UNKNOWN", `${reason} The turn may have begun; read the session.`, {
    cause,
  });
}

function turnFailed({ code, message, retryAfter }: ErrorEvent): MusterError {
  return new MusterError(code ?? "TURN_FAILED", message, { retryAfterMs: retryAfter && retryAfter * 1_000 });
}
