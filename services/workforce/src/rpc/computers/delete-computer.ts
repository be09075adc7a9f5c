import { deleteKeys } from "../../dispatch/upkeep/remove-agent.ts";
import { managerOf } from "../../input/caller.ts";
import { computerInUse } from "../../store/refusals.ts";
import type { Handler } from "../handler.ts";

/** No agent is hired for it any longer before it is checked that none uses it. Safe to repeat at any point. */
export const deleteComputer: Handler<"deleteComputer"> = async (context, { computerId }, call) => {
  const { projectId } = managerOf(call);
  const { store } = context.computers.machines;
  const key = { projectId, computerId };
  const machine = await store.find(key);
  if (machine === null) return {};
  // One of a single agent is deleted with it.
  if (machine.agentId !== undefined) throw computerInUse();
  await store.markDeleting(key);
  if ((await context.agents.onComputer(projectId, computerId)).length > 0) {
    await store.unmarkDeleting(key);
    throw computerInUse();
  }
  await deleteKeys(context, key);
  await store.delete(key);
  return {};
};
