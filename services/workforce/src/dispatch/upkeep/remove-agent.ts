import { computerIdOf } from "@muster/computers";
import { Reason, readRpcError, relayedFailure } from "@muster/rpc";
import type { OwnCallOptions, WorkforceContext } from "../../context.ts";
import { deleteRecordings } from "../../recordings/delete-recordings.ts";
import { type AgentDocument, type AgentKey, keyOfAgent } from "../../store/agent-document.ts";
import { keyOfThread, type ThreadDocument } from "../../store/thread-document.ts";
import { endThread } from "../end-thread.ts";
import { deleteKey, type KeyTarget, listKeys } from "../hire/agent-keys.ts";

const batchSize = 50;
const timeoutMs = 10_000;

export async function deleteKeys(
  context: Pick<WorkforceContext, "services" | "callFor">,
  key: KeyTarget,
  by?: OwnCallOptions,
): Promise<void> {
  for (const { id } of await listKeys(context, key)) await deleteKey(context, key, id, by);
}

/** Its own keys, and the tokens of its own computer. */
export async function deleteKeysOfAgent(
  context: Pick<WorkforceContext, "services" | "callFor">,
  { projectId, agentId }: AgentKey,
  by?: OwnCallOptions,
): Promise<void> {
  await deleteKeys(context, { projectId, agentId }, by);
  await deleteKeys(context, { projectId, computerId: computerIdOf(agentId) }, by);
}

/**
 * Removes everything that belongs to a deleted agent: keys, hooks, schedules, conversations, threads, recordings, its computer,
 * uploaded files. Its document stays, without content, so that deleting the agent again succeeds. Safe to repeat at any point.
 * Does nothing more while a run has not stopped, or events of a thread are not stored for webhooks.
 */
export async function removeAgent(context: WorkforceContext, agent: AgentDocument): Promise<void> {
  const key = keyOfAgent(agent);
  await deleteKeysOfAgent(context, key);
  await context.hooks.deleteOf(key);
  await context.hookDeliveries.deleteOf(key);
  await context.schedules.deleteOf(key);
  await context.scheduleRuns.deleteOf(key);
  if (agent.current !== null) {
    await endThread(context, { ...key, threadId: agent.current.threadId }, "cancel");
    return;
  }
  for (;;) {
    const threads = await context.threads.ofAgent(key, batchSize);
    if (threads.some(({ outbox = [] }) => outbox.length > 0)) return context.notices.wake(key.projectId);
    for (const thread of threads) await removeThread(context, thread);
    if (threads.length < batchSize) break;
  }
  await context.computers.remove(key.projectId, key.agentId);
  await context.files?.storage.removeOwner({ projectId: key.projectId, ownerId: key.agentId });
  await context.runs.deleteOf(key);
  await context.agents.strip(key);
}

async function removeThread(context: WorkforceContext, thread: ThreadDocument): Promise<void> {
  const { services, callFor, threads, threadEvents } = context;
  const { projectId, sessionId } = thread;
  try {
    await services.sessions.clearSession({ sessionId }, callFor(projectId, { timeoutMs }));
  } catch (error) {
    // A thread that never ran has no session.
    if (readRpcError(error).reason !== Reason.NOT_FOUND) {
      throw relayedFailure(error, "The sessions service does not respond.");
    }
  }
  await deleteRecordings(context, keyOfThread(thread), { ofRunning: true });
  await threadEvents.remove(projectId, thread._id);
  await threads.delete(keyOfThread(thread));
}
