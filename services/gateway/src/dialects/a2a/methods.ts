import { isLarge, parseInSlices } from "@muster/large-data";
import type { Thread } from "@muster/proto/workforce";
import { Reason, readRpcError } from "@muster/rpc";
import type { FastifyReply, FastifyRequest } from "fastify";
import { callFor, type GatewayContext } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { readThread } from "../../routes/workforce/get-thread.ts";
import { idempotencyKeyOf } from "../../routes/workforce/start-thread.ts";
import { a2aProblem, invalidParams } from "./a2a-problem.ts";
import type { Params } from "./schemas.ts";
import { isSettled, statusOf, summaryTaskOf, type Task, taskOf, type UiMessage } from "./task.ts";

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
  const found = returnImmediately ? await find(call, threadId) : await whenSettled(call, threadId);
  return found && { task: taskOf(found, await messagesOf(found), historyLength) };
};

export const getTask: Method = async (call) => {
  const thread = await find(call, taskIdOf(call.params));
  return taskOf(thread, await messagesOf(thread), call.params.historyLength);
};

/** The statuses of threads, where a state has exactly one. */
const statusOfState: Partial<Record<string, string>> = {
  TASK_STATE_COMPLETED: "completed",
  TASK_STATE_CANCELED: "cancelled",
  TASK_STATE_INPUT_REQUIRED: "queued",
};

export const listTasks: Method = async (call) => {
  const { context, request, agentId, params } = call;
  const { contextId = "", status: state = "", pageSize = 0, pageToken = "", statusTimestampAfter } = params;
  if (statusTimestampAfter !== undefined) throw invalidParams("statusTimestampAfter is not supported.");
  const page = { agentId, pageSize, cursor: pageToken, status: statusOfState[state] ?? "" };
  const isWanted = ({ status }: Task) => !state || state === status.state;
  if (contextId !== "")
    return { tasks: (await tasksIn(call, contextId)).filter(isWanted), nextPageToken: "" };
  const { threads, nextCursor } = await context.workforce.listThreads(page, callFor(context, request));
  return { tasks: threads.map(summaryTaskOf).filter(isWanted), nextPageToken: nextCursor };
};

async function tasksIn(call: Call, contextId: string): Promise<Task[]> {
  try {
    return [summaryTaskOf(await find(call, contextId))];
  } catch (error) {
    if (readRpcError(error).reason === Reason.NOT_FOUND) return [];
    throw error;
  }
}

export const cancelTask: Method = async (call) => {
  const { context, request, agentId, params } = call;
  const thread = { agentId, threadId: taskIdOf(params) };
  const options = callFor(context, request);
  let { status } = await context.workforce.cancelThread(thread, options);
  if (status === "queued") ({ status } = await context.workforce.withdrawThread(thread, options));
  if (status !== "cancelled") throw a2aProblem("TASK_NOT_CANCELABLE", `The task is ${status}.`);
  return getTask(call);
};

/** Refuses a method that the card does not announce. */
export const refusePush: Method = async () => {
  throw pushProblem();
};

export const refuseExtendedCard: Method = async () => {
  throw a2aProblem("UNSUPPORTED_OPERATION", "The agent has no extended card.");
};

function pushProblem() {
  const message =
    "Register a webhook of the project instead of a push notification: POST /api/admin/webhooks.";
  return a2aProblem("PUSH_NOTIFICATION_NOT_SUPPORTED", message);
}

/** Gives the message to the agent, and returns its thread. */
export async function deliver({ context, request, agentId, params }: Call): Promise<string> {
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
    throw a2aProblem(
      "CONTENT_TYPE_NOT_SUPPORTED",
      "Upload the content of a file first, and send its `url` instead of `raw`.",
    );
  const texts = parts.flatMap(({ text, data }) => text ?? (data === undefined ? [] : JSON.stringify(data)));
  const files = parts.flatMap(({ url, mediaType, filename }, index) =>
    url === undefined
      ? []
      : {
          ...{ id: `${messageId.slice(0, 100)}.${index}`, url },
          mediaType: mediaType || "application/octet-stream",
          ...(filename && { filename }),
        },
  );
  return { message: texts.join("\n\n"), files };
}

export function taskIdOf({ id = "" }: Params): string {
  if (id === "") throw invalidParams("params.id is required: the id of the task.");
  return id;
}

/** The thread of a task as it is now. */
export async function find({ context, request, reply, agentId }: Call, threadId: string): Promise<Thread> {
  const found = await readThread(context, request, reply, { agentId, threadId });
  if (found?.thread === undefined) throw internalProblem(new Error("GetThread returned no thread"));
  return found.thread;
}

/** Common clients abandon a request after five minutes. */
const maxWaitMs = 240_000;

/** The thread once its client has nothing to wait for, or else after four minutes. Undefined: no client is left. */
async function whenSettled(call: Call, threadId: string): Promise<Thread | undefined> {
  const { context, request, reply, agentId } = call;
  const untilMs = performance.now() + maxWaitMs;
  let thread = await find(call, threadId);
  let known = {};
  while (!isSettled(statusOf(thread)) && performance.now() < untilMs) {
    const found = await readThread(context, request, reply, { agentId, threadId, waitSeconds: 25, ...known });
    if (found === undefined) return undefined;
    thread = found.thread ?? thread;
    known = { knownTag: found.tag };
  }
  return thread;
}

/** Large conversations are parsed in slices, so that others need not wait. */
export async function messagesOf({ messagesJson }: Pick<Thread, "messagesJson">): Promise<UiMessage[]> {
  const messages: UiMessage[] = isLarge(messagesJson)
    ? await parseInSlices(messagesJson)
    : JSON.parse(messagesJson || "[]");
  return messages;
}
