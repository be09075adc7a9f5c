import { agentOf } from "../../input/caller.ts";
import { threadKey } from "../../input/thread-key.ts";
import { deleteRecordings as removeAll } from "../../recordings/delete-recordings.ts";
import { unknownThread } from "../../store/refusals.ts";
import type { Handler } from "../handler.ts";

/** Needs the agent's own key, or a caller who manages it. */
export const deleteRecordings: Handler<"deleteRecordings"> = async (context, { agentId, threadId }, call) => {
  const key = threadKey(agentOf(call, agentId), threadId);
  if (!(await context.threads.findState(key))?.accepted) throw unknownThread();
  await removeAll(context, key, { call });
  return {};
};
