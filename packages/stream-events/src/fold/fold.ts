import { isJsonObject, type JsonValue } from "@muster/protocol";
import type { EventOf, StreamEvent } from "../events.ts";
import { type FoldView, PartList } from "./part-list.ts";
import type { UiMessage, UiPart, UiWorker } from "./ui-message.ts";

export interface FoldOptions {
  /** What the client already has, as the server returns it with `format=ui`. */
  messages?: readonly UiMessage[];
  /** The time of messages that the turn writes, ISO 8601; the stream does not contain it. */
  now?: () => string;
}

/** The message that the turn writes. */
interface Current {
  message: UiMessage;
  executionId: string;
  parts: PartList;
  workers: Map<string, { card: UiWorker; parts: PartList }>;
  /** The turn has asked for tool results, so that `finish` only ends the stream. */
  isPaused: boolean;
}

/** The turn as it was; it has changed nothing before its message. */
interface Mark {
  /** The place of its message. */
  at: number;
  current: Current;
  resources: Record<string, JsonValue>;
}

/**
 * A turn is stored before each model call but the first, so a step that is retracted began at most a few marks ago; blocks
 * that call no model lie between steps.
 */
const maxMarks = 64;

/**
 * Assembles the messages of a session from the events of its streams, so that a client shows the same as the server
 * returns when it reads the session. Takes the streams of any number of turns one after the other, each event once.
 */
export class EventFold {
  readonly #messages: UiMessage[];
  readonly #now: () => string;
  #resources: Record<string, JsonValue> = {};
  #current: Current | undefined;
  /** Where the latest steps and blocks began, by the number of the step or the id of the block. */
  readonly #marks = new Map<number | string, Mark>();
  /** Messages that have ended: what they show still depends on the view. */
  readonly #ended = new WeakMap<UiMessage, Current>();

  constructor({ messages = [], now = () => new Date().toISOString() }: FoldOptions = {}) {
    this.#messages = structuredClone([...messages]);
    this.#now = now;
  }

  /** The values of resources that have changed. */
  get resources(): Readonly<Record<string, JsonValue>> {
    return this.#resources;
  }

  /**
   * What the server adds to a response that ends before its turn changes nothing, so that the events after `lastSequence`
   * continue the message.
   */
  take(event: StreamEvent): void {
    if ("interrupted" in event && event.interrupted === true) return;
    if (event.type === "error" && event.lastSequence !== undefined) return;
    switch (event.type) {
      case "start":
        this.#start(event);
        return;
      case "tool-request":
        this.#request(event);
        return;
      case "finish":
        if (this.#current?.isPaused !== true) this.#settle();
        return;
      case "error":
        this.#settle();
        return;
      case "worker-start":
        this.#startWorker(event);
        return;
      case "worker-result":
        this.#endWorker(event);
        return;
      case "worker-input-ready":
        this.#noteInput(event);
        return;
      case "resource-update":
        this.#resources[event.name] = event.value;
        return;
      case "persisted":
      case "usage":
      case "worker-input-start":
      case "worker-input-delta":
        return;
      case "step-discard":
        if (!this.#goBack(event)) this.#partsOf(event.workerId)?.take(event);
        return;
      default:
        this.#partsOf(event.workerId)?.take(event);
        if (event.type === "block-end") this.#addMessage(event);
        else if (event.type === "block-start") this.#mark(event.blockId, event.workerId);
        else if (event.type === "step-start") this.#mark(event.step, event.workerId);
    }
  }

  /** What workers show is retracted in their own parts. */
  #mark(name: number | string, workerId: string | undefined): void {
    const current = this.#current;
    if (current === undefined || workerId !== undefined) return;
    const at = this.#messages.lastIndexOf(current.message);
    this.#marks.delete(name);
    this.#marks.set(name, { at, current: copyOf(current), resources: { ...this.#resources } });
    for (const oldest of [...this.#marks.keys()].slice(0, -maxMarks)) this.#marks.delete(oldest);
  }

  /** To where a step began. False if that is not known. */
  #goBack({ step, blockId, workerId }: EventOf<"step-discard">): boolean {
    const name = blockId ?? step;
    const isLatest = !this.#marks.has(name);
    const mark = isLatest ? [...this.#marks.values()].at(-1) : this.#marks.get(name);
    if (mark === undefined || workerId !== undefined) return false;
    const names = [...this.#marks.keys()];
    for (const later of isLatest ? [] : names.slice(names.indexOf(name) + 1)) this.#marks.delete(later);
    this.#messages.length = mark.at;
    this.#current = copyOf(mark.current);
    this.#messages.push(this.#current.message);
    this.#resources = { ...mark.resources };
    return true;
  }

  /**
   * `live` (the default) shows results that users see only live; `stored` is what the server returns. Both leave out
   * messages that have ended without showing anything.
   */
  messages(view: FoldView = "live"): UiMessage[] {
    const current = this.#current;
    const messages = this.#messages.map((message) => {
      const written = message === current?.message ? current : this.#ended.get(message);
      return { ...message, parts: written === undefined ? message.parts : viewOf(written, view) };
    });
    return messages.filter(({ parts, status }) => parts.length > 0 || status === "streaming");
  }

  #start({ messageId, executionId, lastMessageId }: EventOf<"start">): void {
    this.#marks.clear();
    const current = this.#current;
    if (current?.message.id === messageId && current.executionId === executionId) {
      current.isPaused = false;
      for (const parts of allParts(current)) parts.continue();
      return;
    }
    this.#settle();
    const known = this.#messages.find(({ id }) => id === messageId);
    if (known === undefined) this.#rollBack(lastMessageId);
    const message = known ?? this.#newMessage(messageId);
    message.status = "streaming";
    this.#current = this.#open(message, executionId);
    this.#current.parts.continue();
  }

  /** The turn follows the last message that its session had. One that the client does not know removes nothing. */
  #rollBack(lastMessageId: string | undefined): void {
    const last = this.#messages.findIndex(({ id }) => id === lastMessageId);
    if (last >= 0 || lastMessageId === undefined) this.#messages.length = last + 1;
  }

  #newMessage(id: string): UiMessage {
    const message: UiMessage = {
      id,
      role: "assistant",
      parts: [],
      status: "streaming",
      createdAt: this.#now(),
    };
    this.#messages.push(message);
    return message;
  }

  #open(message: UiMessage, executionId: string): Current {
    const parts = new PartList(message.id, message.parts);
    return { message, executionId, parts, workers: new Map(), isPaused: false };
  }

  /** Before any output of the model it comes before the turn's message, afterwards between two of them. */
  #addMessage({ message, messageId }: EventOf<"block-end">): void {
    const current = this.#current;
    if (current === undefined) return;
    const added = message === undefined ? [] : [message];
    if (messageId === undefined) {
      this.#messages.splice(this.#messages.indexOf(current.message), 0, ...added);
      return;
    }
    this.#settle();
    this.#messages.push(...added);
    this.#current = this.#open(this.#newMessage(messageId), current.executionId);
  }

  #request({ toolCalls }: EventOf<"tool-request">): void {
    const current = this.#current;
    if (current === undefined) return;
    const ids = new Set(toolCalls.map(({ toolCallId }) => toolCallId));
    for (const parts of allParts(current)) parts.requestCalls(ids);
    current.isPaused = true;
  }

  #partsOf(workerId: string | undefined): PartList | undefined {
    if (workerId === undefined) return this.#current?.parts;
    return this.#current?.workers.get(workerId)?.parts;
  }

  #startWorker({ workerId, workerSlug, description, input }: EventOf<"worker-start">): void {
    const current = this.#current;
    if (current === undefined || current.workers.has(workerId)) return;
    const card: UiWorker = {
      type: "worker",
      workerId,
      workerSlug,
      ...(description !== undefined && { description }),
      ...(isJsonObject(input) && { input }),
      parts: [],
      status: "running",
    };
    current.workers.set(workerId, { card, parts: new PartList(workerId) });
    current.parts.add(card);
  }

  #noteInput({ workerId, input }: EventOf<"worker-input-ready">): void {
    const card = this.#current?.workers.get(workerId)?.card;
    if (card !== undefined && isJsonObject(input)) card.input = input;
  }

  #endWorker({ workerId, output, error }: EventOf<"worker-result">): void {
    const worker = this.#current?.workers.get(workerId);
    if (worker === undefined) return;
    const { card, parts } = worker;
    parts.settle();
    card.status = error === undefined ? "done" : "error";
    if (output !== undefined) card.output = output;
    if (error !== undefined) card.error = error;
  }

  /** The current message is over: whatever is still open in it was stopped. */
  #settle(): void {
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return;
    for (const parts of allParts(current)) parts.settle();
    current.message.status = "done";
    this.#ended.set(current.message, current);
  }
}

function copyOf({ message, executionId, parts, workers, isPaused }: Current): Current {
  return { message: { ...message }, executionId, parts: parts.copy(), workers: new Map(workers), isPaused };
}

function allParts({ parts, workers }: Current): PartList[] {
  return [parts, ...[...workers.values()].map((worker) => worker.parts)];
}

function viewOf({ parts, workers }: Current, view: FoldView): UiPart[] {
  return parts.view(view).map((part) => {
    if (part.type !== "worker") return part;
    const inner = workers.get(part.workerId)?.parts.view(view);
    return inner === undefined ? part : { ...part, parts: inner };
  });
}

/** The messages that the events of one or more turns show. */
export function foldEvents(
  events: Iterable<StreamEvent>,
  { view = "live", ...options }: FoldOptions & { view?: FoldView } = {},
): UiMessage[] {
  const fold = new EventFold(options);
  for (const event of events) fold.take(event);
  return fold.messages(view);
}
