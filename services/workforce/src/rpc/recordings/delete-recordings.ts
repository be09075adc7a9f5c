import { callerOf } from "@muster/rpc";
import { agentOf } from "../../input/caller.ts";
import { threadKey } from "../../input/thread-key.ts";
import { deleteRecordings as removeAll } from "../../recordings/delete-recordings.ts";
import { keyOfAgent } from "../../store/agent-document.ts";
import { unknownThread } from "../../store/refusals.ts";
import type { Handler } from "../handler.ts";
import { managedAgent } from "../managed-agent.ts";

/** Needs the agent's own key, or a caller who manages it. */
export const deleteRecordings: Handler<"deleteRecordings"> = async (context, { agentId, threadId }, call) => {
  const isOwn = callerOf(call).agentId !== undefined;
  const agent = isOwn ? agentOf(call, agentId) : keyOfAgent(await managedAgent(context, agentId, call));
  const key = threadKey(agent, threadId);
  if (!(await context.threads.findState(key))?.accepted) throw unknownThread();
  await removeAll(context, key);
  return {};
};
