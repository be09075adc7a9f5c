import { onBehalfOf } from "@muster/rpc";
import { endThread } from "../dispatch/end-thread.ts";
import { deleteKeysOfAgent } from "../dispatch/upkeep/remove-agent.ts";
import { managerOf } from "../input/caller.ts";
import type { Handler } from "./handler.ts";
import { refusalOfChange } from "./managed-agent.ts";

/**
 * The agent is gone for all callers at once. Everything that belongs to it is removed as soon as its run has stopped.
 */
export const deleteAgent: Handler<"deleteAgent"> = async (context, request, call) => {
  const { projectId } = managerOf(call);
  const key = { projectId, agentId: request.agentId };
  const now = new Date(context.clock.now());
  const entry = context.auditEntry(call, "hire.delete", { projectId, target: request.agentId });
  const expected = request.expectedRevisions;
  const deleted = await context.agents.markDeleted(key, now, entry, expected);
  const agent = deleted ?? (await context.agents.findAny(key));
  if (agent?.deletedAt === undefined) throw refusalOfChange(agent);
  const { current } = agent;
  if (current !== null) await endThread(context, { ...key, threadId: current.threadId }, "cancel");
  if (agent.removing) await deleteKeysOfAgent(context, key, onBehalfOf(call));
  context.wakeUps.agentChanged(key);
  return {};
};
