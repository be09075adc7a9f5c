import {
  closest,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type NextMessageBlock,
  type ReferenceSpec,
  type ThreadConfig,
} from "@muster/language";
import type { StoredMessage, Todo, TodoPart } from "../conversation/conversation.ts";
import { counted } from "../prompt/tool-output.ts";
import { type Look, showsContent } from "../shown/display.ts";
import { emit, messagesOfTurn, type Turn } from "../turn/turn.ts";
import { activateTool, remoteServersOf } from "./remote-servers.ts";

/** A tool that the engine runs itself, inside the turn; its results go straight back to the model. */
interface PlatformTool {
  /** Begins with `platform_`, which is reserved for these tools. */
  readonly name: string;
  readonly description: string;
  /** A schema of type object. */
  readonly inputSchema: JsonObject;
  readonly look: Look;
  isOffered(config: ThreadConfig, turn: Turn): boolean;
  /** `args` match the schema. Undefined: the driver carries the call out. */
  run(args: JsonObject, call: PlatformCall): PlatformOutcome | undefined;
}

/** The context of a call. */
export interface PlatformCall {
  readonly turn: Turn;
  readonly block: NextMessageBlock;
  readonly config: ThreadConfig;
}

/** `reference`: its content is the result. `error`: a sentence for the model. */
export type PlatformOutcome =
  | { ok: true; result: JsonValue }
  | { ok: true; reference: string }
  | { ok: false; error: string };

/** Users see that a reference was read, but not its content, which is written for the model. */
const look = { display: "name" } as const;

const referenceList: PlatformTool = {
  name: "platform_reference_list",
  description: "Lists the reference documents that you can read, with a description of each.",
  inputSchema: { type: "object", properties: {} },
  look,
  isOffered: ({ references }) => references.length > 0,
  run: (_args, call) => ({
    ok: true,
    result: readable(call).map(({ name, description }) => ({ name, description })),
  }),
};

const referenceRead: PlatformTool = {
  name: "platform_reference_read",
  description: "Reads a reference document. platform_reference_list lists the available documents.",
  inputSchema: {
    type: "object",
    properties: { name: { type: "string", description: "The name of the document." } },
    required: ["name"],
  },
  look,
  isOffered: referenceList.isOffered,
  run: ({ name }, call) => {
    const found = readable(call).find((reference) => reference.name === name);
    return found === undefined
      ? { ok: false, error: noReference(String(name), call) }
      : { ok: true, reference: found.name };
  },
};

/** The thread's references: the model may not read others of the definition. */
function readable({ turn, config }: PlatformCall): ReferenceSpec[] {
  const { references } = turn.program;
  return config.references.flatMap((name) =>
    Object.hasOwn(references, name) ? (references[name] ?? []) : [],
  );
}

const maxQuotedLength = 100;

function noReference(name: string, { config }: PlatformCall): string {
  const problem = `The reference ${JSON.stringify(name.slice(0, maxQuotedLength))} does not exist.`;
  const close = closest(name, config.references).map((known) => JSON.stringify(known));
  return close.length === 0
    ? `${problem} ${referenceList.name} lists the available documents.`
    : `${problem} Did you mean ${close.join(" or ")}?`;
}

const statuses = ["pending", "in_progress", "completed", "cancelled"] as const;
const maxTodos = 100;
const maxContentLength = 1_000;
const maxIdLength = 64;

const todoSchema = {
  type: "object",
  properties: {
    id: {
      type: "string",
      description: "Keep it when you change the item. Default: its position in the list.",
    },
    content: { type: "string", description: "The task, in one sentence." },
    status: { type: "string", enum: statuses },
  },
  required: ["content", "status"],
};

/** The call itself is hidden: users see the list through `todo-update` and the todo part. */
const todoWrite: PlatformTool = {
  name: "platform_todo_write",
  description:
    "Writes your to-do list and replaces the previous one. Use it to plan work of several steps, and write it " +
    "again whenever an item changes. The user sees the list.",
  inputSchema: {
    type: "object",
    properties: { todos: { type: "array", items: todoSchema } },
    required: ["todos"],
  },
  look: { display: "hidden" },
  isOffered: ({ todoList }) => todoList,
  run: (args, call) => {
    const todos = readTodos(args);
    const problem = problemOf(todos);
    if (problem !== undefined) return { ok: false, error: problem };
    writeTodos(call, todos);
    return {
      ok: true,
      result: `The list has ${counted(todos.length, "item")}, ${openCount(todos)} of them open.`,
    };
  },
};

function readTodos({ todos }: JsonObject): Todo[] {
  return Array.isArray(todos) ? todos.map(readTodo) : [];
}

/** The schema has been checked, so the fallbacks are never used. */
function readTodo(value: JsonValue, index: number): Todo {
  const { id, content, status } = isJsonObject(value) ? value : {};
  return {
    id: typeof id === "string" && id !== "" ? id : String(index + 1),
    content: typeof content === "string" ? content : "",
    status: statuses.find((known) => known === status) ?? "pending",
  };
}

function problemOf(todos: readonly Todo[]): string | undefined {
  if (todos.length > maxTodos) return `The list must have at most ${maxTodos} items.`;
  if (todos.some(({ content }) => content.length > maxContentLength))
    return `An item's content must have at most ${maxContentLength} characters.`;
  if (todos.some(({ id }) => id.length > maxIdLength))
    return `An item's id must have at most ${maxIdLength} characters.`;
  return new Set(todos.map(({ id }) => id)).size < todos.length
    ? "Every item must have a unique id."
    : undefined;
}

function openCount(todos: readonly Todo[]): number {
  return todos.filter(({ status }) => status === "pending" || status === "in_progress").length;
}

/** One part per message: within a turn the list changes in place. */
function writeTodos({ turn, block }: PlatformCall, todos: Todo[]): void {
  const message = turn.conversation.messages.at(-1);
  const part = message && findPart(turn, message);
  if (part !== undefined) part.todos = todos;
  else message?.parts.push({ type: "todo", todos, status: "running" });
  if (showsContent(block.display)) emit(turn, { type: "todo-update", todos }, block.thread);
}

/** A message that users see may be stored as several. */
function findPart(turn: Turn, { thread, audience }: StoredMessage): TodoPart | undefined {
  return messagesOfTurn(turn)
    .filter((other) => other.status === "streaming" && other.thread === thread && other.audience === audience)
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "todo" ? part : [])))
    .at(-1);
}

const mcpList: PlatformTool = {
  name: "platform_mcp_list",
  description:
    "Lists the MCP servers that you can use, and whether each is active. The tools of active servers are yours.",
  inputSchema: { type: "object", properties: {} },
  look,
  isOffered: (config, turn) => remoteServersOf(turn, config).some(({ isLazy }) => isLazy),
  run: (_args, { turn, config }) => ({
    ok: true,
    result: remoteServersOf(turn, config).map(({ namespace, description, isActive }) => ({
      server: namespace,
      ...(description !== undefined && { description }),
      isActive,
    })),
  }),
};

const mcpActivate: PlatformTool = {
  name: activateTool,
  description: `Activates an MCP server, so that you can call its tools. ${mcpList.name} lists the servers.`,
  inputSchema: {
    type: "object",
    properties: { server: { type: "string", description: "The name of the server." } },
    required: ["server"],
  },
  look,
  isOffered: mcpList.isOffered,
  run: ({ server }, { turn, config }) => {
    const known = remoteServersOf(turn, config).map(({ namespace }) => namespace);
    if (known.includes(String(server))) return undefined;
    const quoted = JSON.stringify(String(server).slice(0, maxQuotedLength));
    return { ok: false, error: `There is no MCP server ${quoted}. ${mcpList.name} lists the servers.` };
  },
};

const platformTools: readonly PlatformTool[] = [
  referenceList,
  referenceRead,
  todoWrite,
  mcpList,
  mcpActivate,
];

export function platformToolsOf(turn: Turn, config: ThreadConfig): PlatformTool[] {
  return platformTools.filter((tool) => tool.isOffered(config, turn));
}

/** Regardless of whether a thread has it. */
export function platformToolOf(name: string): PlatformTool | undefined {
  return platformTools.find((tool) => tool.name === name);
}
