import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import { revokedEvent } from "../events.ts";
import { keyAdminOf, keyScopeOf } from "./caller.ts";
import type { Handler } from "./handler.ts";

export const deleteApiKey: Handler<"deleteApiKey"> = async (context, { id, agentId, computerId }, call) => {
  const scope = keyScopeOf(keyAdminOf(call, { agentId, computerId }));
  const key = await context.keys.findIn(scope, id);
  if (!key || (agentId !== undefined && key.agentId !== agentId)) throw unknownKey();
  if (key.computerId !== computerId) throw unknownKey();
  const now = new Date(context.clock.now());
  const entry = context.auditEntry(call, "key.delete", { projectId: key.projectId, target: key._id });
  const outcome = await context.keys.remove(key._id, scope, now, revokedEvent(context, key), entry);
  if (outcome === "unknown") throw unknownKey();
  context.outboxes.keys.wake();
  return {};
};

/** Also thrown for another project's key, so that its existence does not leak. */
export function unknownKey() {
  return rpcError(Reason.NOT_FOUND, "The API key does not exist in this project.");
}
