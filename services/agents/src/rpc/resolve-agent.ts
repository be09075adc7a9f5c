import { create } from "@bufbuild/protobuf";
import { ResolveAgentResponseSchema } from "@muster/proto/agents";
import { readerOf } from "./caller.ts";
import type { Handler } from "./handler.ts";
import { parseRef, requireReachable } from "./lookups.ts";

export const resolveAgent: Handler<"resolveAgent"> = async (context, request, call) => {
  const { _id: agentId } = await requireReachable(context, readerOf(call), parseRef(request.agent));
  return create(ResolveAgentResponseSchema, { agentId });
};
