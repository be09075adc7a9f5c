import { isJsonObject, isName, type JsonValue, nameHint } from "@muster/language";
import type {
  FilePart,
  ObjectPart,
  SourcePart,
  StoredMessage,
  StoredPart,
  TodoPart,
  ToolCallPart,
  ToolCallStatus,
} from "../conversation/conversation.ts";
import { isWebUrl, mainThread, type WorkerCallPart } from "../conversation/messages.ts";
import { FieldReader } from "./field-reader.ts";

// An unknown type is reported and then read as the first one, which has no fields that could be wrong.
const partTypes = [
  "step-start",
  "text",
  "reasoning",
  "tool-call",
  "operation",
  "file",
  "source",
  "object",
  "todo",
  "worker",
] as const;
const streamed = ["done", "streaming"] as const;

export interface RestoreOptions {
  /** Why a file must not have this URL, as the end of a sentence. Default: any web address is allowed. */
  problemOfUrl?: (url: string) => string | undefined;
}

/** A part and the thread it belongs to. */
export interface RestoredPart {
  thread: string;
  part: StoredPart;
}

/** Every part is read as finished: no part of a restored conversation is still running. */
export function restorePart(part: FieldReader, options: RestoreOptions = {}): RestoredPart {
  return { thread: threadOf(part), part: contentOf(part, options) };
}

function threadOf(part: FieldReader): string {
  const thread = part.optionalText("thread") ?? mainThread;
  if (!isName("thread", thread)) part.refuse("thread", `must be ${nameHint("thread")}`);
  return thread;
}

function contentOf(part: FieldReader, options: RestoreOptions): StoredPart {
  const type = part.oneOf("type", partTypes);
  switch (type) {
    case "text":
    case "reasoning":
      part.oneOf("status", streamed, "done");
      return { type, text: part.text("text"), status: "done" };
    case "tool-call":
      return restoreCall(part);
    case "operation":
      return restoreOperation(part);
    case "file":
      return restoreFile(part, options);
    case "source":
      return restoreSource(part);
    case "object":
      return restoreObject(part);
    case "todo":
      return restoreTodos(part);
    case "step-start":
      return { type, restored: true };
    case "worker":
      return restoreWorker(part, options);
    default:
      return type satisfies never;
  }
}

/** The caller sees the same of a call as before. */
function restoreCall(part: FieldReader): ToolCallPart {
  const status = part.oneOf("status", ["pending", "running", "done", "error", "cancelled"], "cancelled");
  const [args, result, error] = [part.json("args"), part.json("result"), part.optionalText("error")];
  const title = part.optionalText("displayName");
  return {
    type: "tool-call",
    toolCallId: callId(part),
    toolName: part.name("toolName"),
    ...(title !== undefined && { title }),
    display: isBare(args) && result === undefined && error === undefined ? "title" : "stream",
    source: "llm",
    args: args ?? {},
    ...outcomeOf(status, result, error),
  };
}

/** Whether the arguments are those that a display with hidden arguments shows. */
function isBare(args: JsonValue | undefined): boolean {
  return args === undefined || (isJsonObject(args) && Object.keys(args).length === 0);
}

type Outcome = Pick<ToolCallPart, "result" | "error" | "status" | "restored">;

/** A result or an error that users do not see is not in the part; its status still shows how the call ended. */
function outcomeOf(
  status: ToolCallStatus,
  result: JsonValue | undefined,
  error: string | undefined,
): Outcome {
  if (error !== undefined) return { error, status: "error" };
  if (result !== undefined) return { result, status: "done" };
  if (status === "done") return { status, restored: true };
  return { status: status === "error" ? status : "cancelled" };
}

/** Ids go back to the provider unchanged. */
function callId(part: FieldReader): string {
  return part.id("toolCallId");
}

function restoreOperation(part: FieldReader): StoredPart {
  const status = part.oneOf("status", ["running", "done", "cancelled"], "done");
  return {
    type: "operation",
    operationId: part.name("operationId"),
    name: part.text("name"),
    operationType: part.text("operationType"),
    status: status === "running" ? "cancelled" : status,
    display: "name",
  };
}

/** The file may have been removed since: then models read a note. */
function restoreFile(part: FieldReader, { problemOfUrl }: RestoreOptions): FilePart {
  const filename = part.optionalText("filename");
  const size = part.raw("size");
  const file: FilePart = {
    type: "file",
    id: part.name("id"),
    mediaType: part.text("mediaType"),
    url: part.text("url"),
    ...(filename !== undefined && { filename }),
  };
  const problem = isWebUrl(file.url) ? problemOfUrl?.(file.url) : "must be an http or https URL";
  if (problem !== undefined) part.refuse("url", problem);
  if (typeof size === "number" && Number.isInteger(size) && size >= 0) file.size = size;
  else if (size !== undefined && size !== null) part.refuse("size", "must be a number of bytes");
  return file;
}

function restoreSource(part: FieldReader): SourcePart {
  const [url, title] = [part.optionalText("url"), part.optionalText("title")];
  if (url !== undefined && !isWebUrl(url)) part.refuse("url", "must be an http or https URL");
  return {
    type: "source",
    sourceType: part.oneOf("sourceType", ["url", "document"]),
    id: part.name("id"),
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
  };
}

function restoreObject(part: FieldReader): ObjectPart {
  part.oneOf("status", ["streaming", "done", "error"], "done");
  const object = part.json("object");
  const named = { type: "object" as const, id: part.name("id"), typeName: part.name("typeName") };
  if (object === undefined) {
    const partial = part.json("partial");
    return { ...named, text: partial === undefined ? "" : JSON.stringify(partial), status: "error" };
  }
  return { ...named, object, text: JSON.stringify(object), status: "done" };
}

const todoStatuses = ["pending", "in_progress", "completed", "cancelled"] as const;

/** Users do not see the call that wrote the list, so the model reads the list itself. */
function restoreTodos(part: FieldReader): TodoPart {
  part.oneOf("status", ["running", "done"], "done");
  const todos = part.list("todos").map((value, index) => {
    const todo = new FieldReader(value, part.pathOf(`todos.${index}`), part.issues);
    const status = todo.oneOf("status", todoStatuses);
    return { id: todo.name("id"), content: todo.text("content"), status };
  });
  return { type: "todo", todos, status: "done", restored: true };
}

/**
 * The card of a worker as the call that started it. For the model of the session, it is a call that it made itself, except
 * that it never called the workers of a worker.
 */
function restoreWorker(part: FieldReader, options: RestoreOptions): WorkerCallPart {
  const workerId = part.id("workerId");
  const [input, output, error] = [part.json("input"), part.json("output"), part.optionalText("error")];
  const status = part.oneOf("status", ["running", "done", "error", "cancelled"], "done");
  const [title, parentWorkerId] = [part.optionalText("description"), part.optionalText("parentWorkerId")];
  return {
    type: "tool-call",
    toolCallId: workerId,
    toolName: part.name("workerSlug"),
    ...(title !== undefined && { title }),
    display: "stream",
    source: parentWorkerId === undefined ? "llm" : "block",
    args: input ?? {},
    ...(output !== undefined && { result: output }),
    ...(status === "done" && output === undefined && { restored: true as const }),
    ...(error !== undefined && { error }),
    status: status === "running" ? "cancelled" : status,
    worker: {
      workerId,
      ...(input !== undefined && { hasInput: true }),
      ...(parentWorkerId !== undefined && { parentWorkerId }),
      messages: messagesOf(part, workerId, options),
    },
  };
}

/** One message for each run of parts of one thread. Only users read them. */
function messagesOf(card: FieldReader, id: string, options: RestoreOptions): StoredMessage[] {
  const messages: StoredMessage[] = [];
  for (const [index, value] of card.list("parts").entries()) {
    const reader = new FieldReader(value, card.pathOf(`parts.${index}`), card.issues);
    if (reader.raw("type") === "worker") {
      reader.refuse("type", "must not be worker: the cards of a worker's own workers stand beside its card");
      continue;
    }
    const { thread, part } = restorePart(reader, options);
    const last = messages.at(-1);
    if (last?.thread === thread) last.parts.push(part);
    else {
      const fixed = { role: "assistant", status: "done", audience: "everyone", createdAt: "" } as const;
      messages.push({ id, ...fixed, thread, parts: [part] });
    }
  }
  return messages;
}
