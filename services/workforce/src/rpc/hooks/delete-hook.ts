import { keyOfHook } from "../../store/hook-document.ts";
import type { Handler } from "../handler.ts";
import { managedHook, refusalOfChange } from "./managed-hook.ts";

/** If the process dies before the deliveries are deleted, they expire. */
export const deleteHook: Handler<"deleteHook"> = async (context, request, call) => {
  const key = keyOfHook(await managedHook(context, request, call));
  const expected = request.expectedRevisions;
  const change = { projectId: key.projectId, target: key.hookId };
  const entry = context.auditEntry(call, "hook.delete", change);
  if (!(await context.hooks.bury(key, entry, expected))) throw await refusalOfChange(context, key);
  await context.hookDeliveries.deleteAll(key);
  return {};
};
