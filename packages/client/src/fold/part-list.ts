import { parseObjectText, parsePartialJson } from "@muster/wire/events/partial-json";
import type {
  ObjectPart,
  OperationPart,
  ReasoningPart,
  StreamEvent,
  TodoListPart,
  ToolCallPart,
  UiMessagePart,
} from "../wire-types.ts";

/** An event of one of some types. */
export type EventOf<Type extends StreamEvent["type"]> = Extract<StreamEvent, { type: Type }>;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * `live`: everything that the events have shown. `stored`: the state that the server returns when the session is read.
 */
export type FoldView = "live" | "stored";

/** A part that events still change. */
interface Entry {
  part: UiMessagePart;
  isModelOutput: boolean;
  /** Results of calls with other displays are not shown when the session is read. */
  isResultStored?: boolean;
  /** A file of a call whose result is not shown when the session is read. */
  isLiveOnly?: boolean;
  /** A call whose arguments and result are never shown; that it is done follows from later events. */
  isSilent?: boolean;
  /** The text that the model has written of an object, or of the arguments of a call. */
  json?: string;
}

type Event<Type extends Parameters<PartList["take"]>[0]["type"]> = EventOf<Type>;

function isOpen({ status }: ToolCallPart): boolean {
  return status === "pending" || status === "running";
}

/** The parts of one message, or of one worker, while events arrive. */
export class PartList {
  #entries: Entry[] = [];
  /** By the ids of the stream, which differ from those of objects. */
  #texts = new Map<string, Entry>();
  #calls = new Map<string, Entry>();
  /** By the ids of blocks. */
  #operations = new Map<string, OperationPart>();
  /** An operation that waits for tool results; its block starts again under another id. */
  #waiting: OperationPart | undefined;
  /** Where each step began. */
  #steps = new Map<number, number>();
  #blockStart = 0;
  #block: EventOf<"block-start"> | undefined;
  #version = 0;
  #snapshot: { version: number; list: PartList } | undefined;
  readonly #idPrefix: string;

  constructor(idPrefix: string, parts: readonly UiMessagePart[] = []) {
    this.#idPrefix = idPrefix;
    for (const part of parts) this.#adopt(part);
  }

  /** Nothing of an independent turn remains. */
  get #isAside(): boolean {
    return this.#block?.independent === true;
  }

  take(
    event: EventOf<
      | "block-start"
      | "block-end"
      | "step-start"
      | "step-discard"
      | "text-start"
      | "text-delta"
      | "text-end"
      | "reasoning-start"
      | "reasoning-delta"
      | "reasoning-end"
      | "tool-input-start"
      | "tool-input-delta"
      | "tool-input-end"
      | "tool-input-available"
      | "tool-output-available"
      | "tool-output-error"
      | "file-available"
      | "source"
      | "todo-update"
    >,
  ): void {
    this.#version += 1;
    switch (event.type) {
      case "block-start":
        this.#startBlock(event);
        break;
      case "block-end":
        this.#endBlock(event);
        break;
      case "step-discard":
        this.#discard(event.step);
        break;
      case "tool-output-available":
        this.#fulfil(event);
        break;
      case "tool-output-error":
        this.#fail(event);
        break;
      case "text-delta":
      case "reasoning-delta":
        this.#append(event);
        break;
      case "text-end":
      case "reasoning-end":
        this.#endText(event);
        break;
      case "tool-input-delta":
        this.#appendInput(event);
        break;
      case "tool-input-available":
        this.#completeInput(event);
        break;
      case "tool-input-end":
        break;
      default:
        if (!this.#isAside) this.#add(event);
    }
  }

  /** The place of a worker's card. The contents of the card are not known here. */
  addCard(workerId: string, thread: string | undefined, isModelOutput: boolean): void {
    if (this.#isAside) return;
    this.#version += 1;
    this.#push(
      { type: "worker", workerId, workerSlug: "", parts: [], status: "running" },
      thread,
      isModelOutput,
    );
  }

  /** A block has started that has not ended. */
  get isInBlock(): boolean {
    return this.#block !== undefined;
  }

  /** The present state. Must not be changed; the same until this list changes. */
  snapshot(): PartList {
    if (this.#snapshot?.version !== this.#version)
      this.#snapshot = { version: this.#version, list: this.copy() };
    return this.#snapshot.list;
  }

  #add(
    event: Event<
      | "step-start"
      | "text-start"
      | "reasoning-start"
      | "tool-input-start"
      | "file-available"
      | "source"
      | "todo-update"
    >,
  ): void {
    switch (event.type) {
      case "step-start":
        this.#settleSilentCalls("pending");
        this.#push({ type: "step-start" }, event.thread, false);
        this.#steps.set(event.step, this.#entries.length);
        break;
      case "text-start":
        this.#texts.set(event.id, this.#startText(event));
        break;
      case "reasoning-start": {
        const part: ReasoningPart = { type: "reasoning", text: "", status: "streaming" };
        this.#texts.set(event.id, this.#push(part, event.thread));
        break;
      }
      case "tool-input-start":
        this.#startCall(event);
        break;
      case "file-available": {
        const { type: _type, toolCallId, workerId: _worker, thread, ...file } = event;
        const call = this.#calls.get(toolCallId ?? "");
        const isLiveOnly = call !== undefined && call.isResultStored !== true;
        Object.assign(this.#push({ type: "file", ...file }, thread), { isLiveOnly });
        break;
      }
      case "source": {
        const { sourceType, id, url, title, thread } = event;
        const shown = { ...(url !== undefined && { url }), ...(title !== undefined && { title }) };
        this.#push({ type: "source", sourceType, id, ...shown }, thread);
        break;
      }
      case "todo-update":
        this.#writeTodos(event);
        break;
      default:
        event satisfies never;
    }
  }

  #push(part: UiMessagePart, thread: string | undefined, isModelOutput = true): Entry {
    const entry = { part: thread === undefined ? part : Object.assign(part, { thread }), isModelOutput };
    this.#entries.push(entry);
    return entry;
  }

  #startText({ id, responseType, thread }: EventOf<"text-start">): Entry {
    if (responseType === undefined)
      return this.#push({ type: "text", text: "", status: "streaming" }, thread);
    const part: ObjectPart = {
      type: "object",
      id: `${this.#idPrefix}_${id}`,
      typeName: responseType,
      status: "streaming",
    };
    return Object.assign(this.#push(part, thread), { json: "" });
  }

  #append({ id, delta }: Event<"text-delta" | "reasoning-delta">): void {
    const entry = this.#texts.get(id);
    if (entry === undefined) return;
    const { part } = entry;
    if (part.type === "text" || part.type === "reasoning") part.text += delta;
    else if (entry.json !== undefined) entry.json += delta;
  }

  #endText(event: Event<"text-end" | "reasoning-end">): void {
    const entry = this.#texts.get(event.id);
    if (entry === undefined) return;
    this.#texts.delete(event.id);
    const { part, json = "" } = entry;
    if (part.type === "text" || part.type === "reasoning") part.status = "done";
    if (part.type !== "object") return;
    const isInvalid = event.type === "text-end" && event.invalid === true;
    const object = parseObjectText(json);
    part.status = object.ok && !isInvalid ? "done" : "error";
    if (object.ok && !isInvalid) part.object = object.value;
  }

  #startCall({ toolCallId, toolName, title, display = "description", thread }: EventOf<"tool-input-start">) {
    const part: ToolCallPart = {
      type: "tool-call",
      toolCallId,
      toolName,
      displayName: title ?? toolName,
      args: {},
      status: "pending",
    };
    const entry = this.#push(part, thread, this.#block?.blockType !== "tool-call");
    entry.isSilent = display === "name" || display === "title";
    entry.isResultStored = display === "stream";
    this.#calls.set(toolCallId, entry);
  }

  #appendInput({ toolCallId, inputTextDelta }: EventOf<"tool-input-delta">): void {
    const entry = this.#calls.get(toolCallId);
    if (entry !== undefined) entry.json = (entry.json ?? "") + inputTextDelta;
  }

  #completeInput({ toolCallId, input }: EventOf<"tool-input-available">): void {
    const entry = this.#calls.get(toolCallId);
    if (entry?.part.type !== "tool-call") return;
    delete entry.json;
    entry.part.args = isObject(input) ? input : { invalidArguments: input };
  }

  #fulfil({ toolCallId, output }: EventOf<"tool-output-available">): void {
    const part = this.#calls.get(toolCallId)?.part;
    if (part?.type !== "tool-call") return;
    part.status = "done";
    part.result = output;
    delete part.error;
  }

  #fail({ toolCallId, error, cancelled }: EventOf<"tool-output-error">): void {
    const entry = this.#calls.get(toolCallId);
    if (entry?.part.type !== "tool-call") return;
    entry.part.status = cancelled === true ? "cancelled" : "error";
    // The process that sent it died before it was stored.
    delete entry.part.result;
    delete entry.part.error;
    if (cancelled !== true && entry.isSilent !== true) entry.part.error = error;
  }

  /** The caller has to carry them out. */
  requestCalls(ids: ReadonlySet<string>): void {
    this.#version += 1;
    for (const [id, { part }] of this.#calls) {
      if (part.type === "tool-call" && ids.has(id)) part.status = "running";
    }
  }

  /** The outcomes of the calls that have ended since this was the present state. */
  takeOutcomes(later: PartList): void {
    this.#version += 1;
    for (const [id, { part }] of this.#calls) {
      const ended = later.#calls.get(id)?.part;
      if (part.type !== "tool-call" || ended?.type !== "tool-call") continue;
      if (isOpen(part) && !isOpen(ended)) Object.assign(part, ended);
    }
  }

  /** The turn continues, so that all calls that it waited for have an outcome. */
  continue(): void {
    this.#version += 1;
    this.#settleSilentCalls("running");
  }

  #settleSilentCalls(waiting: "pending" | "running"): void {
    for (const { part, isSilent } of this.#calls.values()) {
      if (isSilent === true && part.type === "tool-call" && part.status === waiting) part.status = "done";
    }
  }

  #writeTodos({ todos, thread }: EventOf<"todo-update">): void {
    const list = this.#entries.find(({ part }) => part.type === "todo" && part.thread === thread)?.part;
    if (list?.type === "todo") list.todos = todos;
    else this.#push({ type: "todo", todos, status: "running" } satisfies TodoListPart, thread);
  }

  #startBlock(event: EventOf<"block-start">): void {
    this.#block = event;
    const { blockId, blockName: name, blockType: operationType } = event;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const label = event.description ?? name;
    this.#blockStart = this.#entries.length;
    if (waiting !== undefined) this.#operations.set(blockId, waiting);
    if (waiting !== undefined || !isOperation(event)) return;
    const part: OperationPart = {
      type: "operation",
      operationId: blockId,
      name: label,
      operationType,
      status: "running",
    };
    this.#push(part, event.thread, false);
    this.#operations.set(blockId, part);
  }

  #endBlock({ blockId, status }: EventOf<"block-end">): void {
    this.#block = undefined;
    this.#settleSilentCalls("pending");
    const operation = this.#operations.get(blockId);
    if (operation === undefined) return;
    operation.status = status ?? "done";
    if (status === "running") this.#waiting = operation;
  }

  /** Retracts everything since the start of the step. */
  #discard(step: number): void {
    if (this.#isAside) return;
    const begin = this.#steps.get(step) ?? this.#blockStart;
    for (const { part } of this.#entries.splice(begin)) {
      if (part.type === "tool-call") this.#calls.delete(part.toolCallId);
    }
    this.#texts.clear();
  }

  /** A copy of the present state: later events change only one of the two. */
  copy(): PartList {
    const copy = new PartList(this.#idPrefix);
    const twins = new Map(this.#entries.map((entry) => [entry, { ...entry, part: { ...entry.part } }]));
    copy.#entries = [...twins.values()];
    copy.#texts = twinsOf(this.#texts, twins);
    copy.#calls = twinsOf(this.#calls, twins);
    const operations = new Map(
      [...twins].flatMap(
        ([{ part }, twin]): Array<[UiMessagePart, OperationPart]> =>
          twin.part.type === "operation" ? [[part, twin.part]] : [],
      ),
    );
    copy.#operations = twinsOf(this.#operations, operations);
    copy.#waiting = this.#waiting && operations.get(this.#waiting);
    copy.#steps = new Map(this.#steps);
    copy.#blockStart = this.#blockStart;
    copy.#block = this.#block;
    return copy;
  }

  /** Closes everything that the turn left open. */
  settle(): void {
    this.#version += 1;
    this.#waiting = undefined;
    this.#block = undefined;
    for (const { part } of this.#entries) settlePart(part);
  }

  /** The facts that a client that has read the session knows of its calls and operations. */
  #adopt(part: UiMessagePart): void {
    const copy = structuredClone(part);
    const entry: Entry = {
      part: copy,
      isModelOutput: copy.type !== "operation" && copy.type !== "step-start",
    };
    this.#entries.push(entry);
    if (copy.type === "tool-call") {
      this.#calls.set(copy.toolCallId, Object.assign(entry, { isSilent: true, isResultStored: true }));
    }
    if (copy.type === "operation" && copy.status === "running") this.#waiting = copy;
  }

  /** A separator is shown only between output of two steps, right before that of the later one. */
  view(as: FoldView): UiMessagePart[] {
    const parts: UiMessagePart[] = [];
    let hasOutput = false;
    let separator: UiMessagePart | undefined;
    for (const entry of this.#entries) {
      if (entry.isLiveOnly === true && as === "stored") continue;
      if (entry.part.type === "step-start") separator = hasOutput ? viewOf(entry, as) : undefined;
      else {
        if (entry.isModelOutput && separator !== undefined) parts.push(separator);
        if (entry.isModelOutput) [hasOutput, separator] = [true, undefined];
        parts.push(viewOf(entry, as));
      }
    }
    return parts;
  }
}

function twinsOf<T extends object, U>(originals: ReadonlyMap<string, T>, twins: ReadonlyMap<object, U>) {
  return new Map(
    [...originals].flatMap(([id, original]): Array<[string, U]> => {
      const twin = twins.get(original);
      return twin === undefined ? [] : [[id, twin]];
    }),
  );
}

/** The kinds of blocks that leave an `operation` part with any display but `hidden`. */
export const operationKinds: readonly string[] = ["set-resource", "start-thread", "serialize-thread"];

/** Whether the block leaves a part although its content is not shown. */
function isOperation({ blockType, display, independent }: EventOf<"block-start">): boolean {
  if (display === "hidden" || independent === true) return false;
  if (blockType === "next-message") return display !== "stream";
  return operationKinds.includes(blockType);
}

function settlePart(part: UiMessagePart): void {
  switch (part.type) {
    case "text":
    case "reasoning":
      part.status = "done";
      return;
    case "object":
      if (part.status === "streaming") part.status = "error";
      return;
    case "tool-call":
      if (part.status === "pending" || part.status === "running") part.status = "cancelled";
      return;
    case "operation":
    case "worker":
      if (part.status === "running") part.status = "cancelled";
      return;
    case "todo":
      part.status = "done";
      return;
    case "file":
    case "source":
    case "step-start":
      return;
    default:
      part satisfies never;
  }
}

function viewOf({ part, json, isResultStored }: Entry, as: FoldView): UiMessagePart {
  if (part.type === "tool-call") {
    const { result, ...call } = part;
    const isShown = result !== undefined && (as === "live" || isResultStored === true);
    const args = as === "live" && json !== undefined ? partialObject(json) : call.args;
    return { ...call, args, ...(isShown && { result }) };
  }
  if (part.type !== "object" || part.status === "done" || json === undefined) return { ...part };
  const partial = parsePartialJson(json);
  return { ...part, ...(partial !== undefined && { partial }) };
}

function partialObject(json: string): Record<string, unknown> {
  const partial = parsePartialJson(json);
  return isObject(partial) ? partial : {};
}
