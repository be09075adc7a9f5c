import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Program,
  type VariableSpec,
} from "@muster/language";
import type {
  Conversation,
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
  return { messages, variables: defaultsOf(program.variables), resources: defaultsOf(program.resources) };
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
