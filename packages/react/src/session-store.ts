import {
  type DecideApprovalRequest,
  type FileReference,
  type FileToUpload,
  type Muster,
  MusterError,
  type RequestedApproval,
  type RequestedToolCall,
  type Session,
  type StreamEvent,
  type ToolHandlers,
  type TriggerOptions,
  type Turn,
  type UiMessage,
  type UiSession,
} from "@muster/client";
import { messagesBefore } from "@muster/client/fold";
import { Conversation } from "./conversation.ts";
import { type Frame, Store } from "./store.ts";

/**
 * `loading`: the messages are being read. `running`: a turn. `waiting`: it waits for decisions, for results of `toolCalls`, or
 * for services. `error`: the request or the turn has failed; `retry` repeats it.
 */
export type SessionStatus = "loading" | "ready" | "running" | "waiting" | "error";

/** A file that is being uploaded, or has been. */
export interface Upload {
  id: number;
  name: string;
  sentBytes: number;
  totalBytes: number;
  /** For an input of the type `file`, once it is uploaded. */
  file: FileReference | undefined;
  error: Error | undefined;
}

export interface SessionState {
  messages: readonly UiMessage[];
  status: SessionStatus;
  /** Decisions that the turn waits for. */
  approvals: readonly RequestedApproval[];
  /** Calls of tools without a handler: `answer` continues the turn once all have their results. */
  toolCalls: readonly RequestedToolCall[];
  uploads: readonly Upload[];
  /** Set while the status is `error`, and while a turn continues that `stop` could not end. */
  error: Error | undefined;
}

export interface SessionOptions {
  /** Executes the agent's tools in the page, by name. */
  tools?: ToolHandlers | undefined;
  /** Shown until the messages have been read, also by servers. */
  initialMessages?: readonly UiMessage[] | undefined;
  /** For tests. */
  frame?: Frame | undefined;
}

export interface SendOptions extends Omit<TriggerOptions, "tools" | "onApproval" | "signal"> {
  /** Default: `user-message`. */
  trigger?: string;
}

/** A session, for any framework. */
export class SessionStore extends Store<SessionState> {
  tools: ToolHandlers;
  readonly #muster: Muster;
  readonly #session: Session;
  #conversation: Conversation;
  #reading = new AbortController();
  #repeat: () => unknown = () => this.reload();
  #isStopping = false;
  readonly #answers = new Map<string, PromiseWithResolvers<unknown>>();
  readonly #uploading = new Map<number, AbortController>();
  #uploads = 0;

  constructor(muster: Muster, sessionId: string, options: SessionOptions = {}) {
    const { tools = {}, initialMessages: messages = [], frame } = options;
    const nothing = { approvals: [], toolCalls: [], uploads: [], error: undefined };
    super({ messages, status: "loading", ...nothing }, frame);
    this.tools = tools;
    this.#muster = muster;
    this.#session = muster.sessions.open(sessionId);
    this.#conversation = new Conversation(messages);
  }

  protected connect(): void {
    void this.reload();
  }

  /** The turn and uploads continue. */
  protected disconnect(): void {
    this.#reading.abort();
  }

  /** Reads the messages again, and follows the turn that has not ended. */
  readonly reload = (): Promise<void> => this.#run("loading", () => this.reload(), this.#load);

  /** Begins a turn. Resolves with true once it has begun, or with false if it could not: see `error`. */
  readonly send = async (input: Record<string, unknown>, options: SendOptions = {}): Promise<boolean> => {
    const { status } = this.getSnapshot();
    if (status === "loading" || status === "running") return false;
    const { trigger = "user-message", ...more } = options;
    const begun = Promise.withResolvers<boolean>();
    const again = () => this.send(input, options);
    void this.#run("running", again, async (signal) => {
      const turn = this.#session.trigger(trigger, input, { ...more, ...this.#handling(signal) });
      let rollbackAfterMessageId: string | null = null;
      await this.#follow(turn, signal, (event) => {
        if (event.type === "start") {
          begun.resolve(true);
          rollbackAfterMessageId = event.lastMessageId ?? null;
          // The turn continues if reading it fails, and a repetition would delete its reply.
          this.#repeat = this.reload;
        } else if (event.type === "error") {
          // The message of the turn is part of the session now.
          this.#repeat = () => this.send(input, { ...options, rollbackAfterMessageId });
        }
        this.#take(event);
      });
    }).finally(() => begun.resolve(false));
    return begun.promise;
  };

  /** Ends the turn. One that waits for `toolCalls` is left, and ends with the next message. */
  readonly stop = async (): Promise<void> => {
    if (this.getSnapshot().toolCalls.length > 0) return this.#run("ready", this.reload, async () => {});
    this.set({ error: undefined });
    // The server may not have begun the turn yet.
    this.#isStopping = true;
    await this.#cancel();
  };

  /** After an error: repeats the message, reads the session again, or stops the turn. */
  readonly retry = async (): Promise<void> => {
    const { status, error } = this.getSnapshot();
    if (status === "error") await this.#repeat();
    else if (error !== undefined) await this.stop();
  };

  /** The turn continues once all of its calls are decided. */
  readonly decide = async (approvalId: string, decision: DecideApprovalRequest): Promise<void> => {
    await this.#muster.approvals.decide(approvalId, decision);
    const { approvals } = this.getSnapshot();
    this.set({ approvals: approvals.filter((each) => each.approvalId !== approvalId) });
  };

  /** The result of a call in `toolCalls`, or its failure, which the model reads. */
  readonly answer = (toolCallId: string, outcome: { result: unknown } | { error: string }): void => {
    const answer = this.#answers.get(toolCallId);
    if ("error" in outcome) answer?.reject(new Error(outcome.error));
    else answer?.resolve(outcome.result);
  };

  /** Uploads a file, and shows its progress in `uploads`. */
  readonly upload = async (file: FileToUpload): Promise<FileReference | undefined> => {
    const id = ++this.#uploads;
    const isFile = file instanceof Blob;
    const name = isFile ? file.name : file.filename;
    const upload = { id, name, sentBytes: 0, totalBytes: isFile ? file.size : 0 };
    const uploads = [...this.getSnapshot().uploads, { ...upload, file: undefined, error: undefined }];
    this.set({ uploads });
    const ending = new AbortController();
    this.#uploading.set(id, ending);
    const onProgress = (sentBytes: number, totalBytes: number) => this.#change(id, { sentBytes, totalBytes });
    try {
      const [reference] = await this.#session.upload([file], { onProgress, signal: ending.signal });
      this.#change(id, { file: reference });
      return reference;
    } catch (error) {
      this.#change(id, { error: toError(error) });
      return undefined;
    } finally {
      this.#uploading.delete(id);
    }
  };

  /** Removes an upload from the list, for example once it is sent. One that is in progress ends. */
  readonly removeUpload = (id: number): void => {
    this.#uploading.get(id)?.abort();
    this.set({ uploads: this.getSnapshot().uploads.filter((upload) => upload.id !== id) });
  };

  #change(id: number, change: Partial<Upload>): void {
    const { uploads } = this.getSnapshot();
    this.set({ uploads: uploads.map((upload) => (upload.id === id ? { ...upload, ...change } : upload)) });
  }

  async #cancel(): Promise<void> {
    const { signal } = this.#reading;
    try {
      await this.#session.cancel();
    } catch (error) {
      const hasEnded = signal.aborted || this.getSnapshot().status === "ready";
      if (!hasEnded) this.set({ error: toError(error) });
    }
  }

  /** One request or turn is read at a time. */
  async #run(
    status: SessionStatus,
    repeat: () => unknown,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    this.#repeat = repeat;
    this.#isStopping = false;
    this.set({ status, error: undefined, approvals: [], toolCalls: [] });
    try {
      await work(signal);
      if (signal.aborted || this.getSnapshot().status === "error") return;
      const { messages } = this.#conversation;
      this.set({ status: "ready", error: undefined, messages, approvals: [], toolCalls: [] });
    } catch (error) {
      if (signal.aborted) return;
      const { code } = error instanceof MusterError ? error : {};
      // The turn may have begun.
      if (code === "OUTCOME_UNKNOWN" || code === "CONNECTION_LOST") this.#repeat = this.reload;
      // Another page has answered its calls, or it has ended long ago, for example while a phone slept.
      if (code === "UNKNOWN_TOOL_CALL" || code === "EVENTS_GONE") await this.reload();
      else this.#fail(toError(error));
    }
  }

  readonly #load = async (signal: AbortSignal): Promise<void> => {
    const session = await this.#session.get({ format: "ui", signal });
    if (session.status === "expired") throw new MusterError("SESSION_EXPIRED", "The session has expired.");
    this.#show(session.messages);
    if (session.turn !== undefined) await this.#join(session, session.turn, signal);
  };

  /** Continues the messages of a turn that others have begun. Its first events are read again, because they name its parts. */
  async #join(
    { messages }: UiSession,
    { executionId, after }: NonNullable<UiSession["turn"]>,
    signal: AbortSignal,
  ): Promise<void> {
    const turn = this.#session.attach({ executionId }, this.#handling(signal));
    let known: StreamEvent[] | undefined = [];
    this.set({ status: "running" });
    await this.#follow(turn, signal, (event) => {
      known?.push(event);
      if (known === undefined) this.#take(event);
      else if (turn.after >= after || event.type === "finish") {
        const before = messagesBefore(messages, turn.after > after ? known.slice(0, -1) : known);
        this.#conversation = new Conversation(before);
        for (const each of known) this.#take(each);
        known = undefined;
      }
    }).catch(async (error: unknown) => {
      if (!(error instanceof MusterError) || error.code !== "EVENTS_GONE") throw error;
      const session = await this.#session.get({ format: "ui", signal });
      if (session.status === "active") this.#show(session.messages);
    });
  }

  /** Reads a turn to its end, through pauses. */
  async #follow(turn: Turn, signal: AbortSignal, take: (event: StreamEvent) => void): Promise<void> {
    let isPaused = false;
    for await (const event of turn) {
      if (signal.aborted) return;
      isPaused = event.type === "finish" && (event.approvals ?? event.openCalls) !== undefined;
      take(event);
    }
    const { executionId, after } = turn;
    if (!isPaused || executionId === undefined) return;
    const rest = this.#session.attach({ executionId, after }, this.#handling(signal));
    for await (const event of rest) {
      if (signal.aborted) return;
      take(event);
    }
  }

  #take(event: StreamEvent): void {
    this.#conversation.take(event);
    const { approvals } = this.#conversation;
    if (event.type === "start" && this.#isStopping) void this.#cancel();
    if (event.type === "error") this.#fail(new MusterError(event.code ?? "TURN_FAILED", event.message));
    else if (event.type === "finish" || event.type === "approval-request" || event.type === "start")
      this.set({ status: statusAt(event), approvals, messages: this.#conversation.messages });
    else this.setInFrame(() => ({ status: "running", approvals, messages: this.#conversation.messages }));
  }

  #handling(signal: AbortSignal): Pick<TriggerOptions, "tools" | "signal"> {
    const tools: ToolHandlers = {
      "*": (input, context) => {
        const { toolName, toolCallId } = context.call;
        const handler = Object.hasOwn(this.tools, toolName) ? this.tools[toolName] : undefined;
        if (handler !== undefined) return handler(input, context);
        const answer = Promise.withResolvers<unknown>();
        this.#answers.set(toolCallId, answer);
        this.set({ status: "waiting", toolCalls: [...this.getSnapshot().toolCalls, context.call] });
        return answer.promise.finally(() => this.#answered(toolCallId));
      },
    };
    return { tools, signal };
  }

  #answered(toolCallId: string): void {
    const { toolCalls } = this.getSnapshot();
    this.set({ toolCalls: toolCalls.filter((call) => call.toolCallId !== toolCallId) });
  }

  #show(messages: readonly UiMessage[]): void {
    this.#conversation = new Conversation(messages);
    this.set({ messages: this.#conversation.messages });
  }

  #fail(error: Error): void {
    const { messages } = this.#conversation;
    this.set({ status: "error", error, messages, approvals: [], toolCalls: [] });
  }
}

/** The calls of a `tool-request` run first. */
function statusAt(event: StreamEvent): SessionStatus {
  const isPause = event.type === "finish" && (event.approvals ?? event.openCalls) !== undefined;
  return isPause ? "waiting" : "running";
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
