import { create } from "@bufbuild/protobuf";
import { LocateSessionResponseSchema } from "@muster/proto/sessions";
import { callerOf, refuseToken, requirePermission } from "@muster/rpc";
import { found, keyFor } from "../input/caller.ts";
import type { Handler } from "./handler.ts";

export const locateSession: Handler<"locateSession"> = async (context, request, call) => {
  const caller = refuseToken(callerOf(call), "mint tokens");
  requirePermission(caller, "sessions");
  const key = keyFor(caller, request.sessionId);
  const { agentId, subject } = found(key, await context.store.findAgent(key));
  return create(LocateSessionResponseSchema, { agentId, ...(subject !== undefined && { subject }) });
};
