import { create } from "@bufbuild/protobuf";
import { type GetAgentRequest, type GetAgentResponse, GetAgentResponseSchema } from "@muster/proto/agents";
import { readerOf } from "./callers.ts";
import type { Handler } from "./handler.ts";
import { parseRef, requireActive, requireVersion } from "./lookups.ts";
import { toAgent } from "./messages.ts";

export const getAgent: Handler<GetAgentRequest, GetAgentResponse> = async (context, request, call) => {
  const { projectId } = readerOf(call);
  const agent = await requireActive(context, projectId, parseRef(request.agent));
  const version = await requireVersion(context, agent, request.version);
  return create(GetAgentResponseSchema, { agent: toAgent(agent, version) });
};
