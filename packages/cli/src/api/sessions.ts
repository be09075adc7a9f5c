import { isPlainObject } from "@muster/language/json";
import type { Api } from "../http/api.ts";
import { followEvents } from "../http/follow-events.ts";
import type { NumberedEvent } from "../http/read-events.ts";
import { integer, optionalText, record, records, text } from "../read.ts";
import { agentMembers } from "./agents.ts";
import { readPages } from "./read-pages.ts";

export type StreamEvent = Readonly<Record<string, unknown>>;

export interface ToolResult {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Any JSON value. Either this or `error`. */
  readonly result?: unknown;
  /** A sentence for the model. */
  readonly error?: string;
}

export interface Trigger {
  readonly triggerName: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** With tool results: the execution that waits for them. */
  readonly executionId?: string;
  readonly toolResults?: readonly ToolResult[];
}

/** `name` is a slug or an id. */
export async function createSession(
  api: Api,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<string> {
  const agent = agentMembers(name);
  return text(await api.read("POST", "/api/agent-sessions", { body: { ...agent, input } }), "sessionId");
}

/** The latest change first. `filter`: parameters of the list. */
export async function listSessions(
  api: Api,
  filter: Readonly<Record<string, string | undefined>>,
  limit: number,
): Promise<{ sessions: ReturnType<typeof toListItem>[]; hasMore: boolean }> {
  const { items, hasMore } = await readPages(api, "/api/agent-sessions", "sessions", limit, filter);
  return { sessions: items.map(toListItem), hasMore };
}

function toListItem(item: Record<string, unknown>) {
  const title = optionalText(item, "title");
  return {
    sessionId: text(item, "sessionId"),
    agentId: text(item, "agentId"),
    status: text(item, "status"),
    metadata: record(item.metadata),
    /** Absent if no user has written a text, or if the session has expired. */
    ...(title !== undefined && { title }),
    messageCount: integer(item, "messageCount"),
    createdAt: text(item, "createdAt"),
    updatedAt: text(item, "updatedAt"),
  };
}

export type Session = Awaited<ReturnType<typeof getSession>>;

export async function getSession(api: Api, sessionId: string) {
  const body = await api.read("GET", `/api/agent-sessions/${encodeURIComponent(sessionId)}`);
  const values = (key: string) => (isPlainObject(body[key]) ? body[key] : {});
  return {
    id: sessionId,
    agentId: text(body, "agentId"),
    status: text(body, "status"),
    createdAt: text(body, "createdAt"),
    /** Empty if the session has expired, as are the following. */
    messages: body.messages === undefined ? [] : records(body, "messages"),
    input: values("input"),
    variables: values("variables"),
    resources: values("resources"),
    metadata: values("metadata"),
    /** `cost`, `tokens` and, by model, `models`. */
    usage: values("usage"),
  };
}

export type LastMessages = Awaited<ReturnType<typeof getLastMessages>>;

/** The last messages of a session, as users see them. */
export async function getLastMessages(api: Api, sessionId: string, limit: number) {
  const query = { format: "ui", limit: String(limit) };
  const path = `/api/agent-sessions/${encodeURIComponent(sessionId)}`;
  const body = await api.read("GET", path, { query });
  return {
    agentId: text(body, "agentId"),
    status: text(body, "status"),
    /** Oldest first; empty if the session has expired. */
    messages: body.messages === undefined ? [] : records(body, "messages"),
  };
}

/**
 * Yields the events of one turn until it ends or pauses: the n-th has the number n, unless it has its own. Aborting closes the
 * stream, which cancels the turn.
 */
export function trigger(
  api: Api,
  sessionId: string,
  body: Trigger,
  signal: AbortSignal,
): AsyncIterable<NumberedEvent> {
  const path = `/api/agent-sessions/${encodeURIComponent(sessionId)}/trigger`;
  return api.numberedStream("POST", path, body, signal);
}

/** Yields the events of a turn after a number, to its end or its next pause for users or services. */
export async function* turnEvents(
  api: Api,
  { sessionId, executionId, after }: { sessionId: string; executionId: string; after: number },
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent> {
  const [session, execution] = [sessionId, executionId].map(encodeURIComponent);
  const path = `/api/agent-sessions/${session}/executions/${execution}/events`;
  const open = (seen: number) => api.numberedStream("GET", path, undefined, signal, { after: String(seen) });
  for await (const next of followEvents(open, after, signal)) {
    yield next;
    if (isPause(next.event)) return;
  }
}

/** The turn waits for users or services, and continues by itself. */
export function isPause({ type, finishReason, approvals, openCalls }: StreamEvent): boolean {
  return type === "finish" && finishReason === "other" && (approvals ?? openCalls) !== undefined;
}

/** Cancels the running turn; its stream then ends by itself. */
export async function cancelTurn(api: Api, sessionId: string): Promise<void> {
  await api.request("POST", `/api/agent-sessions/${encodeURIComponent(sessionId)}/cancel`);
}
