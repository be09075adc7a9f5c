import type { Api } from "../http/api.ts";
import { isRecord, record, records, text } from "../read.ts";
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
}

export async function getSession(api: Api, sessionId: string): Promise<Session> {
  const reply = await api.request("GET", `/api/agent-sessions/${encodeURIComponent(sessionId)}`);
  const body = record(reply.body);
  const values = (key: string) => (isRecord(body[key]) ? body[key] : {});
  return {
    id: sessionId,
    agentId: text(body, "agentId"),
    status: text(body, "status"),
    createdAt: text(body, "createdAt"),
    messages: body.messages === undefined ? [] : records(body, "messages"),
    input: values("input"),
    variables: values("variables"),
    resources: values("resources"),
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
