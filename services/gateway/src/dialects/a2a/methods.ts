import type { UiMessage } from "@muster/client";
import { parseInSlices } from "@muster/large-data";
import type { Thread } from "@muster/proto/workforce";
import type { FastifyReply, FastifyRequest } from "fastify";
import { callFor, type GatewayContext } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { askForThread } from "../../routes/workforce/get-thread.ts";
import { idempotencyKeyOf } from "../../routes/workforce/start-thread.ts";
import { hold } from "../../streams/relay.ts";
import { a2aProblem, invalidParams } from "./a2a-problem.ts";
import type { Params } from "./schemas.ts";
import { isSettled, statusOf, summaryTaskOf, taskOf } from "./task.ts";

/** One call of a client. */
export interface Call {
  context: GatewayContext;
  request: FastifyRequest;
  reply: FastifyReply;
  agentId: string;
  params: Params;
}

/** The result as JSON; undefined if the method answers by itself, or if no client is left. */
export type Method = (call: Call) => Promise<object | undefined>;

export const sendMessage: Method = async (call) => {
  const threadId = await deliver(call);
  const { returnImmediately = false, historyLength } = call.params.configuration ?? {};
  const thread = returnImmediately ? await find(call, threadId) : await whenSettled(call, threadId);
  return thread && { task: taskOf(thread, await messagesOf(thread), historyLength) };
};

export const getTask: Method = async (call) => {
  const thread = await find(call, taskIdOf(call));
  return taskOf(thread, await messagesOf(thread), call.params.historyLength);
};

/** The statuses of threads, where a state has exactly one. */
const statusOfState: Partial<Record<string, string>> = {
  TASK_STATE_COMPLETED: "completed",
  TASK_STATE_CANCELED: "cancelled",
  TASK_STATE_INPUT_REQUIRED: "queued",
};

export const listTasks: Method = async ({ context, request, agentId, params }) => {
  const { contextId, status: state = "", pageSize = 0, pageToken = "", statusTimestampAfter } = params;
  if (contextId || statusTimestampAfter !== undefined)
    throw invalidParams("Leave out contextId and statusTimestampAfter; GetTask reads a context.");
  const page = { agentId, pageSize, cursor: pageToken, status: statusOfState[state] ?? "" };
  const { threads, nextCursor } = await context.workforce.listThreads(page, callFor(context, request));
  const tasks = threads.map(summaryTaskOf).filter(({ status }) => !state || state === status.state);
  return { tasks, nextPageToken: nextCursor };
};

export const cancelTask: Method = async (call) => {
  const { context, request, agentId } = call;
  const thread = { agentId, threadId: taskIdOf(call) };
  const options = callFor(context, request);
  let { status } = await context.workforce.cancelThread(thread, options);
  if (status === "queued") ({ status } = await context.workforce.withdrawThread(thread, options));
  if (status !== "cancelled") throw a2aProblem("TASK_NOT_CANCELABLE", `The task is ${status}.`);
  return getTask(call);
};

/** The card does not announce push notifications. */
export const pushProblem = () =>
  a2aProblem("PUSH_NOTIFICATION_NOT_SUPPORTED", "Register a webhook of the project instead.");

/** Gives the message to the agent, and returns its thread. */
export async function deliver(call: Call): Promise<string> {
  const { context, request, agentId, params } = call;
  const { message, configuration } = params;
  if (message === undefined) throw invalidParams("params.message is required.");
  if (configuration?.taskPushNotificationConfig != null) throw pushProblem();
  const { messageId, taskId = "", contextId = "" } = message;
  if (taskId !== "" && contextId !== "" && taskId !== contextId)
    throw invalidParams("params.message.contextId is that of another task.");
  const threadId = taskId || contextId;
  const sent = { agentId, ...contentOf(message), ...idempotencyKeyOf({ "idempotency-key": messageId }) };
  const options = callFor(context, request);
  if (threadId === "") return (await context.workforce.startThread(sent, options)).threadId;
  await context.workforce.followUp({ ...sent, threadId }, options);
  return threadId;
}

/** The files have ids that a repeat of the message has, too. */
function contentOf({ messageId, parts }: NonNullable<Params["message"]>) {
  if (parts.some(({ raw }) => raw !== undefined))
    throw a2aProblem("CONTENT_TYPE_NOT_SUPPORTED", "Upload the file, and send its `url` instead of `raw`.");
  const texts = parts.flatMap(({ text, data }) => text ?? (data === undefined ? [] : JSON.stringify(data)));
  const files = parts.flatMap(({ url, mediaType, filename }, index) => {
    if (url === undefined) return [];
    const file = { id: `${messageId.slice(0, 100)}.${index}`, url, ...(filename && { filename }) };
    return { ...file, mediaType: mediaType || "application/octet-stream" };
  });
  return { message: texts.join("\n\n"), files };
}

export function taskIdOf({ params: { id = "" } }: Pick<Call, "params">): string {
  if (id === "") throw invalidParams("params.id is required: the id of the task.");
  return id;
}

/** The thread of a task in its current state. */
export async function find({ context, request, agentId }: Call, threadId: string): Promise<Thread> {
  const { thread } = await askForThread(context, request, { agentId, threadId });
  if (thread === undefined) throw internalProblem(new Error("GetThread returned no thread"));
  return thread;
}

/** The thread once its client has nothing to wait for, or else after four minutes. Undefined: no client is left. */
function whenSettled({ context, request, reply, agentId }: Call, threadId: string) {
  // Common clients abandon a request after five minutes.
  const untilMs = performance.now() + 240_000;
  return hold(context.streams, reply, async (signal) => {
    const options = { agentId, threadId };
    let { thread, tag: knownTag } = await askForThread(context, request, options, signal);
    while (thread && !isSettled(statusOf(thread)) && performance.now() < untilMs) {
      const wait = { ...options, waitSeconds: 25, knownTag };
      const read = await askForThread(context, request, wait, signal);
      [thread, knownTag] = [read.thread ?? thread, read.tag];
    }
    return thread;
  });
}

/** Parsed in slices, so that others need not wait for a large conversation. */
export async function messagesOf({ messagesJson }: Pick<Thread, "messagesJson">): Promise<UiMessage[]> {
  return await parseInSlices(messagesJson || "[]");
}
