import type { Api } from "../http/api.ts";
import { record, text } from "../read.ts";

export type StreamEvent = Readonly<Record<string, unknown>>;

export interface ToolResult {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly error: string;
}

export interface Trigger {
  readonly triggerName: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** With tool results: the execution that waits for them. */
  readonly executionId?: string;
  readonly toolResults?: readonly ToolResult[];
}

export async function createSession(
  api: Api,
  agentId: string,
  input: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { body } = await api.request("POST", "/api/agent-sessions", { body: { agentId, input } });
  return text(record(body), "sessionId");
}

/** Returns the id of a session's agent. */
export async function agentOfSession(api: Api, sessionId: string): Promise<string> {
  const { body } = await api.request("GET", `/api/agent-sessions/${encodeURIComponent(sessionId)}`);
  return text(record(body), "agentId");
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
