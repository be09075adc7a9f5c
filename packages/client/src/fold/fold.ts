import type { StreamEvent, UiMessage, UiMessagePart, WorkerPart } from "../wire-types.ts";
import { CardInput } from "./card-input.ts";
import { type EventOf, type FoldView, PartList } from "./part-list.ts";

export interface FoldOptions {
  /** The messages that the client already has, as the server returns them with `format=ui`. */
  messages?: readonly UiMessage[];
  /** The time of messages that the turn writes, ISO 8601; the stream does not contain it. */
  now?: () => string;
}

/** The view of a turn or one of its workers. */
interface Lane {
  parts: PartList;
}

interface Worker extends Lane {
  card: Omit<WorkerPart, "type" | "parts" | "input">;
  input: CardInput;
  parent: Worker | undefined;
  /** Where its latest steps and blocks began. */
  marks: Map<number | string, WorkerMark>;
}

/** The message that the turn writes. */
interface Current extends Lane {
  message: UiMessage;
  executionId: string;
  /** By id, at any depth. Events within one of them change nothing of the others. */
  workers: Map<string, Worker>;
  /** The turn has asked for tool results, so that `finish` only ends the stream. */
  isPaused: boolean;
}

/** The turn at an earlier moment; it has changed nothing before its message. */
interface Mark {
  /** The place of its message. */
  at: number;
  current: Current;
  resources: Record<string, unknown>;
}

/** A worker at an earlier moment, and those that wait for it. */
interface WorkerMark {
  lanes: Array<{ worker: Worker; parts: PartList; card: Worker["card"] }>;
  turn: Mark;
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
  #resources: Record<string, unknown> = {};
  /** The worker of an execution without a session. */
  #executedWorker: string | undefined;
  #current: Current | undefined;
  /** Where the latest steps and blocks began, by the number of the step or the id of the block. */
  readonly #marks = new Map<number | string, Mark>();
  /** Messages that have ended: their view still depends on the reader's. */
  readonly #ended = new WeakMap<UiMessage, Current>();

  constructor({ messages = [], now = () => new Date().toISOString() }: FoldOptions = {}) {
    this.#messages = structuredClone([...messages]);
    this.#now = now;
  }

  /** The values of resources that have changed. */
  get resources(): Readonly<Record<string, unknown>> {
    return this.#resources;
  }

  /**
   * The events that the server adds to a response that ends before its turn change nothing, so that the events after
   * `lastSequence` continue the message.
   */
  take(event: StreamEvent): void {
    if ("interrupted" in event && event.interrupted === true) return;
    if (event.type === "error" && event.lastSequence !== undefined) return;
    switch (event.type) {
      case "start":
        this.#start(event);
        return;
      case "tool-request":
        this.#request(event.toolCalls);
        return;
      case "approval-request":
        this.#request(event.approvals);
        return;
      case "finish":
        if (event.openCalls !== undefined) this.#request(event.openCalls);
        if (this.#current?.isPaused !== true) this.#settle();
        return;
      case "error":
        this.#settle();
        return;
      case "worker-input-start":
      case "worker-start":
        this.#startWorker(event);
        return;
      case "worker-input-delta":
        this.#workerOf(event.workerId)?.input.append(event.delta);
        return;
      case "worker-input-ready":
        this.#workerOf(event.workerId)?.input.complete(event.input);
        return;
      case "worker-result":
        this.#endWorker(event);
        return;
      case "resource-update":
        if (this.#isOfTurn(event.workerId))
          this.#resources = { ...this.#resources, [event.name]: event.value };
        return;
      case "persisted":
      case "usage":
        return;
      case "step-discard":
        this.#discard(event);
        return;
      default:
        if (event.type === "block-end") this.#mark(endOf(event.blockId), event.workerId);
        this.#partsOf(event.workerId)?.take(event);
        if (event.type === "block-end") this.#addMessage(event);
        else if (event.type === "block-start") this.#markBlock(event);
        else if (event.type === "step-start") this.#mark(event.step, event.workerId);
    }
  }

  #workerOf(workerId: string): Worker | undefined {
    return this.#current?.workers.get(workerId);
  }

  /** The resources of workers are not those of the session. A worker that is executed by itself has no session. */
  #isOfTurn(workerId: string | undefined): boolean {
    return workerId === undefined || workerId === this.#executedWorker;
  }

  #markBlock({ blockId, workerId }: EventOf<"block-start">): void {
    this.#mark(blockId, workerId);
    // The workers that wait inside this block are unchanged.
    for (const worker of this.#current?.workers.values() ?? []) {
      const isWaiting = worker.card.status === "running" && worker.parent?.card.workerId === workerId;
      if (isWaiting && worker.marks.has(worker.card.workerId)) this.#markWorker(worker.card.workerId, worker);
    }
  }

  #mark(name: number | string, workerId: string | undefined): void {
    const current = this.#current;
    if (current === undefined) return;
    const worker = workerId === undefined ? undefined : current.workers.get(workerId);
    if (worker !== undefined) this.#markWorker(name, worker);
    else if (workerId === undefined) remember(this.#marks, name, this.#snapshot(current));
  }

  #markWorker(name: number | string, worker: Worker): void {
    const current = this.#current;
    if (current === undefined) return;
    const lanes: WorkerMark["lanes"] = [];
    for (let each: Worker | undefined = worker; each !== undefined; each = each.parent) {
      lanes.push({ worker: each, parts: each.parts.snapshot(), card: { ...each.card } });
    }
    remember(worker.marks, name, { lanes, turn: this.#snapshot(current) });
  }

  #snapshot(current: Current): Mark {
    const at = this.#messages.lastIndexOf(current.message);
    const copy = { ...current, message: { ...current.message }, parts: current.parts.snapshot() };
    return { at, current: copy, resources: this.#resources };
  }

  /** Goes back to where a step began. If that is not known, only the parts of the step are dropped. */
  #discard(event: EventOf<"step-discard">): void {
    const { step, blockId, workerId, waiting } = event;
    const worker = workerId === undefined ? undefined : this.#workerOf(workerId);
    if (worker === undefined && workerId !== undefined) return;
    const marks: Map<number | string, Mark | WorkerMark> = worker?.marks ?? this.#marks;
    const name = waiting === true ? earliest(marks, [step, endOf(blockId)]) : (blockId ?? step);
    if (name === undefined) return;
    const mark = take(marks, name);
    if (mark === undefined) this.#partsOf(workerId)?.take(event);
    else if ("lanes" in mark) this.#restoreWorker(mark);
    else this.#restore(mark);
  }

  #restore({ at, current, resources }: Mark): void {
    this.#messages.length = at;
    this.#current = { ...current, message: { ...current.message }, parts: current.parts.copy() };
    this.#messages.push(this.#current.message);
    this.#resources = resources;
  }

  /** Calls of the turn and of other workers may have ended while the worker ran. */
  #restoreWorker({ lanes, turn }: WorkerMark): void {
    const later = this.#current?.parts;
    this.#restore(turn);
    if (later !== undefined) this.#current?.parts.takeOutcomes(later);
    for (const { worker, parts, card } of lanes) {
      const earlier = parts.copy();
      earlier.takeOutcomes(worker.parts);
      worker.parts = earlier;
      worker.card = { ...card };
    }
  }

  /**
   * `live` (the default) shows results that users see only live; `stored` is the server's response. Both leave out
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
      this.#markRunning();
      return;
    }
    this.#settle();
    const known = this.#messages.find(({ id }) => id === messageId);
    if (known === undefined) this.#rollBack(lastMessageId);
    const message = known ?? this.#newMessage(messageId);
    message.status = "streaming";
    this.#current = this.#open(message, executionId);
    for (const parts of allParts(this.#current)) parts.continue();
    this.#markRunning();
  }

  /** Workers without a view show nothing of their continuation. */
  #markRunning(): void {
    for (const [workerId, worker] of this.#current?.workers ?? []) {
      worker.marks.clear();
      if (worker.card.status === "running") this.#markWorker(workerId, worker);
    }
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
    const workers = new Map<string, Worker>();
    const own = message.parts.filter((part) => part.type !== "worker" || part.parentWorkerId === undefined);
    const parts = new PartList(message.id, own);
    for (const part of message.parts) if (part.type === "worker") adoptWorker(workers, part);
    return { message, executionId, parts, workers, isPaused: false };
  }

  /** Before any output of the model it precedes the turn's message, afterwards between two of them. */
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

  /** The calls run, and the turn pauses until they have ended, or have been decided. */
  #request(toolCalls: ReadonlyArray<{ toolCallId: string }>): void {
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

  #startWorker(event: EventOf<"worker-input-start" | "worker-start">): void {
    const current = this.#current;
    if (current === undefined) return;
    const { workerId, workerSlug, description, display, thread, parentWorkerId } = event;
    if (event.type === "worker-start" && !current.parts.isInBlock && parentWorkerId === undefined)
      this.#executedWorker = workerId;
    const parent = parentWorkerId === undefined ? undefined : current.workers.get(parentWorkerId);
    if (!current.workers.has(workerId)) {
      const card: Worker["card"] = {
        workerId,
        workerSlug,
        ...(description !== undefined && { description }),
        ...(parentWorkerId !== undefined && { parentWorkerId }),
        status: "running",
      };
      const isModelOutput = event.type === "worker-input-start" && parent === undefined;
      (parent ?? current).parts.addCard(workerId, thread, isModelOutput);
      const input = new CardInput(display ?? "stream");
      current.workers.set(workerId, { card, input, parent, parts: new PartList(workerId), marks: new Map() });
    }
    const worker = current.workers.get(workerId);
    if (worker === undefined || event.type !== "worker-start") return;
    if (event.input !== undefined) worker.input.complete(event.input);
    this.#markWorker(workerId, worker);
  }

  #endWorker({ workerId, output, error, cancelled }: EventOf<"worker-result">): void {
    const worker = this.#workerOf(workerId);
    if (worker === undefined) return;
    const { card, parts, input } = worker;
    parts.settle();
    if (cancelled === true) card.status = "cancelled";
    else card.status = error === undefined ? "done" : "error";
    if (output !== undefined) card.output = output;
    if (error !== undefined && cancelled !== true && input.isShown) card.error = error;
  }

  /** The current message has ended: whatever is still open in it was stopped. */
  #settle(): void {
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return;
    for (const parts of allParts(current)) parts.settle();
    for (const { card } of current.workers.values()) if (card.status === "running") card.status = "cancelled";
    current.message.status = "done";
    this.#ended.set(current.message, current);
  }
}

/** The latest ones are kept. */
function remember<T>(marks: Map<number | string, T>, name: number | string, mark: T): void {
  marks.delete(name);
  marks.set(name, mark);
  for (const oldest of [...marks.keys()].slice(0, -maxMarks)) marks.delete(oldest);
}

/** A later block has steps of its own, so the number alone does not say where the wait ended. */
function earliest(
  marks: ReadonlyMap<number | string, unknown>,
  names: ReadonlyArray<number | string>,
): number | string | undefined {
  return [...marks.keys()].find((name) => names.includes(name));
}

/** The mark of that name, or the latest one. Later ones are forgotten. */
function take<T>(marks: Map<number | string, T>, name: number | string): T | undefined {
  const mark = marks.get(name);
  if (mark === undefined) return [...marks.values()].at(-1);
  const names = [...marks.keys()];
  for (const later of names.slice(names.indexOf(name) + 1)) marks.delete(later);
  return mark;
}

/** Where a block ended. */
function endOf(blockId: string | undefined): string {
  return `end ${blockId}`;
}

function adoptWorker(workers: Map<string, Worker>, { type: _, parts, input, ...card }: WorkerPart): void {
  const parent = card.parentWorkerId === undefined ? undefined : workers.get(card.parentWorkerId);
  parent?.parts.addCard(card.workerId, undefined, false);
  const given = new CardInput("stream");
  if (input !== undefined) given.complete(input);
  const list = new PartList(card.workerId, parts);
  workers.set(card.workerId, { card: { ...card }, input: given, parent, parts: list, marks: new Map() });
}

function allParts({ parts, workers }: Current): PartList[] {
  return [parts, ...[...workers.values()].map((worker) => worker.parts)];
}

/** The cards of a worker's own workers follow its card. */
function viewOf({ parts, workers }: Current, view: FoldView): UiMessagePart[] {
  return parts.view(view).flatMap((part) => (part.type === "worker" ? cardsOf(workers, part, view) : part));
}

function cardsOf(
  workers: ReadonlyMap<string, Worker>,
  { workerId, thread }: Pick<WorkerPart & UiMessagePart, "workerId" | "thread">,
  view: FoldView,
): UiMessagePart[] {
  const worker = workers.get(workerId);
  if (worker === undefined) return [];
  const inner = worker.parts.view(view);
  const { output, ...card } = worker.card;
  const isOutputShown = output !== undefined && (view === "live" || worker.input.isOutputStored);
  const own: UiMessagePart = {
    type: "worker",
    ...card,
    ...worker.input.view(view),
    ...(isOutputShown && { output }),
    parts: inner.filter((part) => part.type !== "worker"),
    ...(thread !== undefined && { thread }),
  };
  const place = thread === undefined ? {} : { thread };
  const nested = inner.flatMap((part) =>
    part.type === "worker" ? cardsOf(workers, { workerId: part.workerId, ...place }, view) : [],
  );
  return [own, ...nested];
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

/**
 * The messages of a session as of the beginning of a run, for a fold that takes the run's events from the first one:
 * `messages` already contain the outcome of `events`, with which the run begins.
 */
export function messagesBefore(
  messages: readonly UiMessage[],
  events: readonly StreamEvent[],
): readonly UiMessage[] {
  const [start] = events;
  const at = start?.type === "start" ? messages.findIndex(({ id }) => id === start.messageId) : -1;
  const message = messages[at];
  if (message === undefined) return messages;
  // The message had output if the run continues it: then the first step leaves a separator.
  const output: UiMessagePart = { type: "text", text: "", status: "done" };
  const shown = foldEvents(events, { messages: [{ ...message, parts: [output] }], view: "stored" });
  const written = (shown.find(({ id }) => id === message.id)?.parts.length ?? 1) - 1;
  const parts = message.parts.slice(0, message.parts.length - written);
  return [...messages.slice(0, at), ...(parts.length === 0 ? [] : [{ ...message, parts }])];
}
