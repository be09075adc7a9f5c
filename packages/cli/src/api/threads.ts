import { isPlainObject } from "@muster/language/json";
import type { Api } from "../http/api.ts";
import type { NumberedEvent } from "../http/read-events.ts";
import { optionalText, record, records, text, texts } from "../read.ts";
import { readPages } from "./read-pages.ts";

type Json = Readonly<Record<string, unknown>>;

export interface ThreadState {
  readonly threadId: string;
  readonly status: string;
}

export interface Dispatch extends ThreadState {
  /** An earlier request with the same idempotency key has started it. */
  readonly replayed: boolean;
}

/** The video of a thread's latest run. */
export type Recording = ReturnType<typeof recordingOf>;

export type Thread = Awaited<ReturnType<typeof getThread>>;

export interface ThreadListItem extends ThreadState {
  readonly title: string;
  readonly createdAt: string;
  readonly completedAt: string | null;
}

/** No run is in flight, and none will start by itself. */
export function isFinal(status: string): boolean {
  return !["pending", "queued", "running"].includes(status);
}

/** The work of one agent. */
export interface AgentWork {
  readonly agentId: string;
  /** The agent as the user has named it, as a word of a command line. */
  readonly ref: string;
  readonly name: string;
  readonly api: Api;
  /** With the agent's own key, or with one that manages the project's agents. */
  readonly root: "/api/v1" | "/api/admin";
}

function agentPath({ agentId, root }: Pick<AgentWork, "agentId" | "root">): string {
  return `${root}/workforce/agents/${encodeURIComponent(agentId)}`;
}

function pathOf(agent: AgentWork, threadId?: string): string {
  const threads = `${agentPath(agent)}/threads`;
  return threadId === undefined ? threads : `${threads}/${encodeURIComponent(threadId)}`;
}

export async function getOwnAgentName(api: Api, agentId: string): Promise<string> {
  return text(await api.read("GET", agentPath({ agentId, root: "/api/v1" })), "name");
}

export async function startThread(
  agent: AgentWork,
  request: Json,
  idempotencyKey: string | undefined,
): Promise<Dispatch> {
  return dispatch(agent.api, pathOf(agent), request, idempotencyKey);
}

export async function followUp(
  agent: AgentWork,
  threadId: string,
  request: Json,
  idempotencyKey: string | undefined,
): Promise<Dispatch> {
  return dispatch(agent.api, `${pathOf(agent, threadId)}/messages`, request, idempotencyKey);
}

/** In the order of the files. */
export async function createUploadUrls(agent: AgentWork, files: readonly Json[]) {
  return records(await agent.api.read("POST", `${agentPath(agent)}/files`, { body: { files } }), "files").map(
    (file) => ({
      id: text(file, "id"),
      uploadUrl: text(file, "uploadUrl"),
      downloadUrl: text(file, "downloadUrl"),
    }),
  );
}

async function dispatch(
  api: Api,
  path: string,
  body: Json,
  idempotencyKey: string | undefined,
): Promise<Dispatch> {
  const headers = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  const reply = await api.request("POST", path, { body, headers });
  return { ...stateOf(reply.body), replayed: reply.header("idempotent-replayed") === "true" };
}

/** `waitSeconds`: at most 25, so that the response arrives within the time of a request. */
export async function getThread(agent: AgentWork, threadId: string, waitSeconds = 0) {
  const query = waitSeconds === 0 ? {} : { wait: String(waitSeconds) };
  const body = await agent.api.read("GET", pathOf(agent, threadId), { query });
  return {
    ...stateOf(body),
    failureReason: optionalText(body, "failureReason"),
    failureType: optionalText(body, "failureType"),
    messages: records(body, "messages"),
    /** Ids of the approvals that it waits for. */
    approvalIds: idsIn(body.waitingFor, "approvalIds"),
    /** Ids of the calls whose services will send the results. */
    toolCallIds: idsIn(body.waitingFor, "toolCallIds"),
    usage: isPlainObject(body.usage) ? body.usage : undefined,
    /** Undefined if the latest run was not recorded. */
    recording: isPlainObject(body.recording) ? recordingOf(body.recording) : undefined,
    /** Undefined if a client has started it. */
    origin: isPlainObject(body.origin)
      ? { kind: text(body.origin, "kind"), id: text(body.origin, "id") }
      : undefined,
    /** The whole response, for `--json`. */
    document: body,
  };
}

function idsIn(waitingFor: unknown, key: string): string[] {
  return isPlainObject(waitingFor) && waitingFor[key] !== undefined ? texts(waitingFor, key) : [];
}

function recordingOf(recording: Json) {
  return {
    status: text(recording, "status"),
    visibility: text(recording, "visibility"),
    /** The address of the video. Undefined until it is ready. */
    url: optionalText(recording, "url"),
    error: optionalText(recording, "error"),
  };
}

/** Newest first. */
export async function listThreads(
  agent: AgentWork,
  limit: number,
): Promise<{ threads: ThreadListItem[]; hasMore: boolean }> {
  const { items, hasMore } = await readPages(agent.api, pathOf(agent), "threads", limit);
  const threads = items.map((thread) => ({
    ...stateOf(thread),
    title: text(thread, "title"),
    createdAt: text(thread, "createdAt"),
    completedAt: optionalText(thread, "completedAt") ?? null,
  }));
  return { threads, hasMore };
}

export async function cancelThread(agent: AgentWork, threadId: string): Promise<ThreadState> {
  return stateOf(await agent.api.read("POST", `${pathOf(agent, threadId)}/cancel`));
}

/** Withdraws a thread that waits in the queue; every other one stays unchanged. */
export async function withdrawThread(agent: AgentWork, threadId: string): Promise<ThreadState> {
  return stateOf(await agent.api.read("DELETE", pathOf(agent, threadId)));
}

/** Deletes the videos of a thread's runs. */
export async function deleteRecordings(agent: AgentWork, threadId: string): Promise<Json> {
  return agent.api.read("DELETE", `${pathOf(agent, threadId)}/recording`);
}

/** The events after a number. Aborting closes the stream, which has no effect on the thread. */
export function threadEvents(
  agent: AgentWork,
  threadId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent> {
  const query = after === 0 ? {} : { after: String(after) };
  return agent.api.numberedStream("GET", `${pathOf(agent, threadId)}/events`, undefined, signal, query);
}

function stateOf(body: unknown): ThreadState {
  return { threadId: text(record(body), "threadId"), status: text(record(body), "status") };
}
