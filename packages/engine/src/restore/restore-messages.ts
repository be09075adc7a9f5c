import type { StoredMessage } from "../conversation/conversation.ts";
import { mainThread } from "../conversation/messages.ts";
import { FieldReader, type RestoreIssue } from "./field-reader.ts";
import { type RestoredPart, type RestoreOptions, restorePart } from "./restore-part.ts";

/** If not ok, `index` is the position of the first invalid message, and `issues` lists all of its problems. */
export type RestoreResult =
  | { ok: true; messages: StoredMessage[] }
  | { ok: false; index: number; issues: RestoreIssue[] };

/**
 * Reads UI messages that a caller kept. Unknown fields are ignored; `status` is optional. Tool calls that
 * had not ended become `cancelled`, texts become `done`.
 */
export function fromUiMessages(messages: unknown, options?: RestoreOptions): RestoreResult {
  if (!Array.isArray(messages)) {
    return { ok: false, index: 0, issues: [{ path: "messages", message: "must be an array" }] };
  }
  const restoration = new Restoration(options);
  for (const [index, value] of messages.entries()) {
    const issues = restoration.add(value);
    if (issues.length > 0) return { ok: false, index, issues };
  }
  return { ok: true, messages: restoration.messages() };
}

/** The same one message at a time, so that other work can run in between. */
export class Restoration {
  readonly #options: RestoreOptions;
  readonly #seen: SeenIds = { messages: new Set(), calls: new Set() };
  readonly #restored: RestoredMessage[] = [];

  constructor(options: RestoreOptions = {}) {
    this.#options = options;
  }

  /** Reads the next message and returns its issues. After one with issues, nothing more can be restored. */
  add(value: unknown): RestoreIssue[] {
    const reader = new FieldReader(value, `messages.${this.#restored.length}`, []);
    const message = restoreMessage(reader, this.#seen, this.#options);
    const isFirst = this.#restored.length === 0;
    this.#restored.push(isFirst && reader.raw("summary") === true ? asSummary(message) : message);
    return reader.issues;
  }

  messages(): StoredMessage[] {
    return this.#restored.flatMap((message) => storedMessages(message, this.#seen.messages));
  }
}

/** A message as users see it: its parts may belong to several threads. */
type RestoredMessage = Omit<StoredMessage, "thread" | "parts"> & { parts: RestoredPart[] };

interface SeenIds {
  messages: Set<string>;
  calls: Set<string>;
}

function restoreMessage(message: FieldReader, seen: SeenIds, options: RestoreOptions): RestoredMessage {
  message.oneOf("status", ["done", "streaming"], "done");
  const sender = message.has("sender") ? restoreSender(message) : undefined;
  const restored: RestoredMessage = {
    id: message.name("id"),
    role: message.oneOf("role", ["user", "assistant"]),
    status: "done",
    createdAt: timestamp(message),
    audience: "everyone",
    ...(sender && { sender }),
    parts: message.list("parts").map((part, index) => {
      return restorePart(new FieldReader(part, message.pathOf(`parts.${index}`), message.issues), options);
    }),
  };
  refuseRepeatedIds(message, restored, seen);
  return restored;
}

/** The running summary, as models read it and as readers see it. With other parts, it is an ordinary message. */
function asSummary(message: RestoredMessage): RestoredMessage {
  const { role, parts, ...rest } = message;
  const texts = parts.flatMap(({ part }) => (part.type === "text" ? part.text : []));
  const todos = parts.flatMap(({ part }) => (part.type === "todo" ? [part.todos] : [])).at(-1);
  const isSummary =
    role === "assistant" && parts.every(({ part }) => part.type === "text" || part.type === "todo");
  if (!isSummary || texts.length === 0) return message;
  const summary = { through: 0, text: texts.join("\n\n"), ...(todos && { todos }) };
  return { ...rest, role: "system", audience: "model", summary, parts: [] };
}

/** One message for each run of parts of one thread. Messages after the first get unused ids. */
function storedMessages({ parts, ...message }: RestoredMessage, taken: Set<string>): StoredMessage[] {
  const stored: StoredMessage[] = [];
  const nextId = freeIds(message.id, taken);
  for (const { thread, part } of parts) {
    const last = stored.at(-1);
    if (last?.thread === thread) last.parts.push(part);
    else if (last === undefined) stored.push({ ...message, thread, parts: [part] });
    else stored.push({ ...message, id: nextId(), partOf: message.id, thread, parts: [part] });
  }
  return stored.length > 0 ? stored : [{ ...message, thread: mainThread, parts: [] }];
}

/** Counts up from the last id returned, so that ids in use are checked only once each. */
function freeIds(id: string, taken: Set<string>): () => string {
  let count = 1;
  return () => {
    do count += 1;
    while (taken.has(`${id}.${count}`));
    taken.add(`${id}.${count}`);
    return `${id}.${count}`;
  };
}

// Date.parse also accepts other forms, some of them in the server's time zone.
const iso8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

function timestamp(message: FieldReader): string {
  const text = message.text("createdAt");
  const time = iso8601.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  if (typeof message.raw("createdAt") === "string") message.refuse("createdAt", "must be an ISO 8601 time");
  return text;
}

function restoreSender(message: FieldReader): NonNullable<StoredMessage["sender"]> {
  const sender = new FieldReader(message.raw("sender"), message.pathOf("sender"), message.issues);
  const [id, name, image] = [
    sender.optionalText("id"),
    sender.optionalText("name"),
    sender.optionalText("image"),
  ];
  return {
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(image !== undefined && { image }),
  };
}

/** Messages are rolled back by id, and providers refuse two calls with the same id. */
function refuseRepeatedIds(message: FieldReader, restored: RestoredMessage, seen: SeenIds): void {
  if (seen.messages.has(restored.id)) message.refuse("id", "must be unique");
  seen.messages.add(restored.id);
  for (const [index, { part }] of restored.parts.entries()) {
    if (part.type !== "tool-call") continue;
    if (seen.calls.has(part.toolCallId)) message.refuse(`parts.${index}.toolCallId`, "must be unique");
    seen.calls.add(part.toolCallId);
  }
}
