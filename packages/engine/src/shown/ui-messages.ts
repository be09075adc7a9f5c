import {
  parsePartialJson,
  type UiMessage,
  type UiPart,
  type UiToolCall,
  type UiWorker,
} from "@muster/wire/events";
import type {
  Conversation,
  ObjectPart,
  StoredMessage,
  StoredPart,
  ToolCallPart,
} from "../conversation/conversation.ts";
import { shownFile } from "../conversation/files.ts";
import {
  asObject,
  isModelOutput,
  isOfWorker,
  mainThread,
  shownId,
  type WorkerCallPart,
} from "../conversation/messages.ts";
import { shownError, shownResult } from "./call-events.ts";
import { toolVisibility } from "./display.ts";

export interface UiOptions {
  /** `ui` omits messages without visible parts. `full` lists them without parts, and adds `content` and `visible`. */
  view?: "full" | "ui";
  /** The URL that readers get for that of a file. Default: the same. */
  urlOf?: (url: string) => string;
}

/**
 * The messages of a conversation that users see. Both views follow `display`: a session can be read with a token for
 * untrusted clients, so content that is hidden live must be hidden here too. Neither contains messages that are only
 * for the model (system, `visible: false`, hidden and independent turns, messages added to named threads).
 *
 * Output on a named thread follows its block's display, as it does live: with `stream` its parts appear in the turn's
 * message, in chronological order, each with `thread`; clients decide whether to show them. With `name`, `title` and
 * `description`, an operation part with `thread` represents them.
 */
export function toUiMessages(conversation: Conversation, { view, urlOf }: UiOptions = {}): UiMessage[] {
  const shown = new Map<string, ShownMessage>();
  for (const message of conversation.messages) addMessage(shown, message);
  const messages = [...shown.values()].map(({ message }) => message);
  for (const message of messages) finishShown(message);
  if (urlOf !== undefined) for (const { parts } of messages) renewUrls(parts, urlOf);
  if (view === "ui") return messages.filter(isWorthShowing);
  return view === "full" ? messages.map(withContent) : messages;
}

/** The parts are copies. */
function renewUrls(parts: readonly UiPart[], urlOf: (url: string) => string): void {
  for (const part of parts) {
    if (part.type === "file") part.url = urlOf(part.url);
    else if (part.type === "worker") renewUrls(part.parts, urlOf);
  }
}

/** Clients of the full view read the text from `content` and skip what is not `visible`. Hidden parts are not here. */
function withContent(message: UiMessage): UiMessage {
  const parts = message.parts.map(asVisible);
  const content = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { ...message, parts, content, visible: isWorthShowing(message) };
}

function asVisible(part: UiPart): UiPart {
  const visible = { ...part, visible: true };
  return visible.type === "worker" ? { ...visible, parts: visible.parts.map(asVisible) } : visible;
}

/** A turn in progress is shown from its beginning, so that users see that something is happening. */
function isWorthShowing({ parts, status }: UiMessage): boolean {
  return parts.length > 0 || status === "streaming";
}

/** Parts in the making. */
interface Shown {
  parts: UiPart[];
  /** Those of a worker contain no cards. */
  cards: UiPart[];
  /** The worker that shows them. */
  workerId?: string;
  /** Users see output of the model in it. */
  hasOutput: boolean;
  /** The separator before a later step that has not shown any output yet. */
  separator?: UiPart | undefined;
}

interface ShownMessage extends Shown {
  message: UiMessage;
}

function addMessage(all: Map<string, ShownMessage>, stored: StoredMessage): void {
  const { role, status, createdAt, sender, audience, uiText } = stored;
  if (role === "system" || audience === "model") return;
  const id = shownId(stored);
  let shown = all.get(id);
  if (shown === undefined) {
    const parts: UiPart[] = [];
    const message: UiMessage = {
      ...{ id, role, parts, status, createdAt },
      ...(sender && { sender }),
      ...(stored.summary && { summary: true }),
    };
    // Cards appear where their workers were called.
    shown = { message, parts, cards: parts, hasOutput: false };
    all.set(id, shown);
  }
  shown.message.status = status;
  if (uiText !== undefined) shown.parts.push({ type: "text", text: uiText, status: "done" });
  addParts(shown, stored);
}

function addParts(shown: Shown, { parts, uiText, thread }: StoredMessage): void {
  for (const part of parts) {
    if (part.type === "tool-call" && isOfWorker(part)) addCards(shown, part, thread);
    else {
      const uiPart = uiText !== undefined && part.type === "text" ? undefined : toUiPart(part);
      if (uiPart !== undefined) addPart(shown, part, onThread(uiPart, thread));
    }
  }
}

function addPart(shown: Shown, part: StoredPart, placed: UiPart): void {
  if (part.type === "step-start" && !part.restored) {
    shown.separator = shown.hasOutput ? placed : undefined;
    return;
  }
  const list = listFor(shown.parts, placed);
  if (list === undefined && isModelOutput(part)) separate(shown);
  if (list === undefined) shown.parts.push(placed);
  else Object.assign(list, placed);
}

/** The card of a worker, and those of the workers inside it, which no card contains. */
function addCards(shown: Shown, part: WorkerCallPart, thread: string): void {
  const [card, ...inner] = cardsOf(part, shown.workerId);
  if (card === undefined) return;
  const isOfTurn = shown.cards === shown.parts;
  if (isOfTurn && isModelOutput(part)) separate(shown);
  shown.cards.push(...[card, ...inner].map((each) => (isOfTurn ? onThread(each, thread) : each)));
}

/** Empty if users do not see it. */
function cardsOf(part: WorkerCallPart, parentWorkerId = part.worker.parentWorkerId): UiPart[] {
  const { display, title, toolName, args, status, worker } = part;
  const sees = toolVisibility[display];
  if (!sees.name) return [];
  const result = sees.resultOnReread ? shownResult(part) : undefined;
  const error = sees.resultLive ? shownError(part) : undefined;
  const shown: Shown = { parts: [], cards: [], workerId: worker.workerId, hasOutput: false };
  if (display === "stream") {
    for (const message of worker.messages) if (message.audience === "everyone") addParts(shown, message);
  }
  const isRunning = status === "pending" || status === "running";
  settleTodos(shown.parts, isRunning);
  const card: UiWorker = {
    type: "worker",
    workerId: worker.workerId,
    workerSlug: toolName,
    ...(title !== undefined && { description: title }),
    ...(parentWorkerId !== undefined && { parentWorkerId }),
    ...(sees.args && worker.hasInput && { input: asObject(args) }),
    parts: shown.parts,
    ...(result !== undefined && { output: result }),
    ...(error !== undefined && { error }),
    ...(part.approval && { approval: part.approval }),
    status: isRunning ? "running" : status,
  };
  return [card, ...shown.cards];
}

function onThread(part: UiPart, thread: string): UiPart {
  return thread === mainThread ? part : { ...part, thread };
}

/** A separator is shown only between output of two steps, right before that of the later one: other steps show nothing. */
function separate(shown: Shown): void {
  if (shown.separator !== undefined) shown.parts.push(shown.separator);
  shown.separator = undefined;
  shown.hasOutput = true;
}

/** A list that is written again stays where it was, as it does live, although its first part may have been sealed. */
function listFor(parts: readonly UiPart[], part: UiPart): UiPart | undefined {
  if (part.type !== "todo") return undefined;
  return parts.find(({ type, thread }) => type === "todo" && thread === part.thread);
}

/** Undefined if users see nothing of it. */
function toUiPart(part: StoredPart): UiPart | undefined {
  switch (part.type) {
    case "text":
    case "reasoning":
      // Encrypted reasoning has no words, but goes back to its provider.
      return part.text === "" ? undefined : { type: part.type, text: part.text, status: part.status };
    case "tool-call":
      return toUiCall(part);
    case "operation": {
      const { display, ...operation } = part;
      return display === "hidden" ? undefined : operation;
    }
    case "object":
      return toUiObject(part);
    case "todo":
      return { type: "todo", todos: part.todos, status: part.status };
    case "file":
      return shownFile(part);
    case "source":
      return { ...part };
    case "step-start":
      return { type: "step-start" };
    default:
      return part satisfies never;
  }
}

function toUiObject({ id, typeName, object, status, text }: ObjectPart): UiPart {
  const partial = status === "done" ? undefined : parsePartialJson(text);
  return {
    type: "object",
    id,
    typeName,
    status,
    ...(object !== undefined && { object }),
    ...(partial !== undefined && { partial }),
  };
}

/** The last column of the display table: a re-read never shows more than this. */
function toUiCall(part: ToolCallPart): UiToolCall | undefined {
  const sees = toolVisibility[part.display];
  if (!sees.name) return undefined;
  const { toolCallId, toolName, title, status } = part;
  const result = sees.resultOnReread ? shownResult(part) : undefined;
  const error = sees.resultLive ? shownError(part) : undefined;
  return {
    type: "tool-call",
    toolCallId,
    toolName,
    displayName: title ?? toolName,
    // Clients require an object even if the display hides the arguments.
    args: sees.args ? asObject(part.args) : {},
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
    ...(part.approval && { approval: part.approval }),
    status,
  };
}

function finishShown({ parts, status }: UiMessage): void {
  settleTodos(parts, status === "streaming");
}

/** The turn continues with the list, whichever stored message contains it. */
function settleTodos(parts: readonly UiPart[], isRunning: boolean): void {
  for (const part of parts) if (part.type === "todo" && isRunning) part.status = "running";
}
