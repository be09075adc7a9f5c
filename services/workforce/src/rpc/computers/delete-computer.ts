import { onBehalfOf } from "@muster/rpc";
import { deleteKeys } from "../../dispatch/upkeep/remove-agent.ts";
import { computerInUse } from "../../store/refusals.ts";
import type { Handler } from "../handler.ts";
import { managedComputer } from "./managed-computer.ts";

/**
 * No agent is hired for it any longer before it is checked that none uses it. Safe to repeat at any
 * point: the computer itself is deleted last.
 */
export const deleteComputer: Handler<"deleteComputer"> = async (context, { computerId }, call) => {
  const machine = await managedComputer(context, computerId, call);
  const { projectId } = machine;
  const { store } = context.computers.machines;
  const key = { projectId, computerId };
  // One of a single agent is deleted with it.
  if (machine.agentId !== undefined) throw computerInUse();
  await store.markDeleting(key);
  if ((await context.agents.onComputer(projectId, computerId)).length > 0) {
    await store.unmarkDeleting(key);
    throw computerInUse();
  }
  await deleteKeys(context, key, onBehalfOf(call));
  await store.bury(key, context.auditEntry(call, "computer.delete", { projectId, target: computerId }));
  return {};
};
