import { hash } from "node:crypto";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Program,
  type VariableSpec,
} from "@muster/language";
import type {
  Conversation,
  Loaded,
  StoredMessage,
  StoredPart,
  Todo,
  TodoPart,
  ToolCallPart,
  WorkerCall,
} from "./conversation.ts";

/** The default thread. */
export const mainThread = "main";

/** Threads of independent turns. Names of real threads have no slash. */
export const asidePrefix = "independent/";

/** The id by which users know a stored message. The first of several may have stayed empty and been removed. */
export function shownId({ id, partOf }: StoredMessage): string {
  return partOf ?? id;
}

/** True if a model wrote it; false for the handler's own operations and tool calls. */
export function isModelOutput(part: StoredPart): boolean {
  switch (part.type) {
    case "text":
    case "reasoning":
    case "object":
    case "file":
    case "source":
    case "todo":
      return true;
    case "tool-call":
      return part.source === "llm";
    case "operation":
    case "step-start":
      return false;
    default:
      return part satisfies never;
  }
}

/** The parts of the latest step. */
export function lastStep(message: StoredMessage | undefined): StoredPart[] {
  if (message === undefined) return [];
  const start = message.parts.findLastIndex((part) => part.type === "step-start");
  return message.parts.slice(start + 1);
}

export function callIdsOf({ parts }: StoredMessage): string[] {
  return parts.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : []));
}

export type WorkerCallPart = ToolCallPart & { worker: WorkerCall };

export function isOfWorker(part: ToolCallPart): part is WorkerCallPart {
  return part.worker !== undefined;
}

/**
 * Clients and providers accept objects only. Arguments of a call that a model broke off are kept as text in one;
 * conversations that earlier releases stored contain the text alone.
 */
export function asObject(args: JsonValue): JsonObject {
  return isJsonObject(args) ? args : { invalidArguments: args };
}

/** Clients follow URLs of files and sources, so `javascript:` and the like must not reach them. */
export function isWebUrl(url: string): boolean {
  return ["http:", "https:"].includes(URL.parse(url)?.protocol ?? "");
}

/** A conversation whose variables and resources have their defaults. */
export function newConversation(program: Program, messages: StoredMessage[] = []): Conversation {
  const { variables, resources } = program;
  const conversation = { messages, variables: defaultsOf(variables), resources: defaultsOf(resources) };
  const isUntrusted = messages.some(({ parts }) => parts.some(hasForeignText));
  return isUntrusted ? { ...conversation, isUntrusted } : conversation;
}

/** True of calls of servers and of the provider, whose results are text of others. */
export function hasForeignText(part: StoredPart): boolean {
  if (part.type !== "tool-call") return false;
  return part.hosted !== undefined || part.isForeign === true || part.toolName.includes("__");
}

/** The id is random, and the services that tools call never see it. */
export function fenceOf({ executionId }: { executionId: string }): string {
  return `outside-${hash("sha256", `fence ${executionId}`).slice(0, 12)}`;
}

function defaultsOf(specs: Readonly<Record<string, VariableSpec>>): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(specs).flatMap(([name, spec]) =>
      spec.default === undefined ? [] : [[name, spec.default]],
    ),
  );
}

const marks: Readonly<Record<Todo["status"], string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
  cancelled: "[-]",
};

/** A list as text, for a model that has no call of its own that shows it. */
export function todoText({ todos }: Pick<TodoPart, "todos">): string {
  return ["To do:", ...todos.map(({ id, content, status }) => `${marks[status]} ${id}: ${content}`)].join(
    "\n",
  );
}

/**
 * Closes everything that a turn left open: messages and texts become `done`, unresolved tool calls `cancelled`,
 * unfinished objects `error`. Removes independent turns and empty assistant messages, which are not read again. Changes
 * the conversation in place and returns it. `from`: an index before which all messages are final; there can be many.
 */
export function settle(conversation: Conversation, from = 0): Conversation {
  const { messages } = conversation;
  let length = Math.min(from, messages.length);
  for (let index = length; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    if (message.status === "streaming") settleMessage(message);
    if (isWorthKeeping(message)) messages[length++] = message;
  }
  messages.length = length;
  return conversation;
}

/**
 * The length of the part of a conversation that turns no longer change, move or remove; only a rollback does. `from`:
 * the length of a part for which this is known.
 */
export function finalLength(messages: readonly StoredMessage[], from = 0): number {
  let length = from;
  while (isFinal(messages[length])) length += 1;
  return length;
}

/** The position at which that part ends. `from`: one before which everything is known to be final. */
export function finalEnd({ messages, loadedFrom = 0 }: Loaded, from = 0): number {
  return loadedFrom + finalLength(messages, Math.max(0, from - loadedFrom));
}

function isFinal(message: StoredMessage | undefined): boolean {
  return message?.status === "done" && isWorthKeeping(message);
}

/** Closes one message and everything in it. */
export function settleMessage(message: StoredMessage): void {
  message.status = "done";
  for (const part of message.parts) settlePart(part);
  while (message.parts.at(-1)?.type === "step-start") message.parts.pop();
}

function isWorthKeeping(message: StoredMessage): boolean {
  if (message.thread.startsWith(asidePrefix)) return false;
  return message.role !== "assistant" || message.parts.length > 0;
}

function settlePart(part: StoredPart): void {
  switch (part.type) {
    case "text":
    case "reasoning":
      if (part.status === "streaming") cutShort(part, "done");
      return;
    case "object":
      if (part.status === "streaming") cutShort(part, "error");
      return;
    case "tool-call":
      if (part.status === "pending" || part.status === "running") part.status = "cancelled";
      if (part.approval?.status === "pending") part.approval.status = "cancelled";
      settleWorker(part);
      return;
    case "operation":
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

/** The part of an ended worker that remains: the output that users see later. */
export function settleWorker({ worker, display }: ToolCallPart): void {
  if (worker === undefined) return;
  const shown = display === "stream" ? worker.messages.filter(({ audience }) => audience === "everyone") : [];
  for (const message of shown) {
    settleMessage(message);
    message.parts = message.parts.filter(isEverShown);
    for (const part of message.parts)
      if (part.type === "tool-call" && part.display !== "stream") delete part.result;
  }
  worker.messages = shown.filter(({ parts }) => parts.length > 0);
}

function isEverShown(part: StoredPart): boolean {
  return !("display" in part) || part.display !== "hidden";
}

/**
 * Providers refuse their own metadata (item ids, signatures) on a part that they never completed; without it they
 * accept the part as plain text.
 */
export function cutShort<Status>(part: { status: Status; providerMetadata?: unknown }, status: Status): void {
  part.status = status;
  delete part.providerMetadata;
}
