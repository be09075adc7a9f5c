import { isPlainObject } from "@muster/language/json";
import type { Api } from "../http/api.ts";
import { integer, optionalText, record, records, text } from "../read.ts";
import { byOf } from "./agents.ts";

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
  const agent = byOf(name) === "slug" ? { agentSlug: name } : { agentId: name };
  const { body } = await api.request("POST", "/api/agent-sessions", { body: { ...agent, input } });
  return text(record(body), "sessionId");
}

export interface SessionListItem {
  readonly sessionId: string;
  readonly agentId: string;
  readonly status: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Absent if no user has written a text, or if the session has expired. */
  readonly title?: string;
  readonly messageCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const pageSize = 100;

/** Reads as many pages as are needed for `limit` sessions. `filter`: parameters of the list. */
export async function listSessions(
  api: Api,
  filter: Readonly<Record<string, string | undefined>>,
  limit: number,
): Promise<{ sessions: SessionListItem[]; hasMore: boolean }> {
  const sessions: SessionListItem[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...filter, cursor, limit: String(Math.min(pageSize, limit - sessions.length)) };
    const body = record((await api.request("GET", "/api/agent-sessions", { query })).body);
    sessions.push(...records(body, "sessions").map(toListItem));
    cursor = optionalText(body, "nextCursor");
  } while (cursor !== undefined && sessions.length < limit);
  return { sessions, hasMore: cursor !== undefined };
}

function toListItem(item: Record<string, unknown>): SessionListItem {
  const title = optionalText(item, "title");
  return {
    sessionId: text(item, "sessionId"),
    agentId: text(item, "agentId"),
    status: text(item, "status"),
    metadata: record(item.metadata),
    ...(title !== undefined && { title }),
    messageCount: integer(item, "messageCount"),
    createdAt: text(item, "createdAt"),
    updatedAt: text(item, "updatedAt"),
  };
}

export interface Session {
  readonly id: string;
  readonly agentId: string;
  readonly status: string;
  readonly createdAt: string;
  /** Empty if the session has expired, as are the following. */
  readonly messages: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly input: Readonly<Record<string, unknown>>;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly resources: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** `cost`, `tokens` and, by model, `models`. */
  readonly usage: Readonly<Record<string, unknown>>;
}

export async function getSession(api: Api, sessionId: string): Promise<Session> {
  const reply = await api.request("GET", `/api/agent-sessions/${encodeURIComponent(sessionId)}`);
  const body = record(reply.body);
  const values = (key: string) => (isPlainObject(body[key]) ? body[key] : {});
  return {
    id: sessionId,
    agentId: text(body, "agentId"),
    status: text(body, "status"),
    createdAt: text(body, "createdAt"),
    messages: body.messages === undefined ? [] : records(body, "messages"),
    input: values("input"),
    variables: values("variables"),
    resources: values("resources"),
    metadata: values("metadata"),
    usage: values("usage"),
  };
}

export interface LastMessages {
  readonly agentId: string;
  readonly status: string;
  /** Oldest first; empty if the session has expired. */
  readonly messages: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

/** The last messages of a session, as users see them. */
export async function getLastMessages(api: Api, sessionId: string, limit: number): Promise<LastMessages> {
  const query = { format: "ui", limit: String(limit) };
  const path = `/api/agent-sessions/${encodeURIComponent(sessionId)}`;
  const body = record((await api.request("GET", path, { query })).body);
  return {
    agentId: text(body, "agentId"),
    status: text(body, "status"),
    messages: body.messages === undefined ? [] : records(body, "messages"),
  };
}

/** Yields the events of one turn until it ends or pauses. Aborting closes the stream, which cancels the turn. */
export function trigger(
  api: Api,
  sessionId: string,
  body: Trigger,
  signal: AbortSignal,
): AsyncIterable<StreamEvent> {
  return api.stream("POST", `/api/agent-sessions/${encodeURIComponent(sessionId)}/trigger`, body, signal);
}

/** Cancels the running turn; its stream then ends by itself. */
export async function cancelTurn(api: Api, sessionId: string): Promise<void> {
  await api.request("POST", `/api/agent-sessions/${encodeURIComponent(sessionId)}/cancel`);
}
