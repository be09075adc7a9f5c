import { create } from "@bufbuild/protobuf";
import {
  type ResolveAgentRequest,
  type ResolveAgentResponse,
  ResolveAgentResponseSchema,
} from "@muster/proto/agents";
import { finderOf } from "./callers.ts";
import type { Handler } from "./handler.ts";
import { parseRef, requireActive } from "./lookups.ts";

export const resolveAgent: Handler<ResolveAgentRequest, ResolveAgentResponse> = async (
  context,
  request,
  call,
) => {
  const { projectId } = finderOf(call);
  const { _id: agentId } = await requireActive(context, projectId, parseRef(request.agent));
  return create(ResolveAgentResponseSchema, { agentId });
};
