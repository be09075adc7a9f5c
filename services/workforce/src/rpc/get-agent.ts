import { create } from "@bufbuild/protobuf";
import { type GetAgentRequest, type GetAgentResponse, GetAgentResponseSchema } from "@muster/proto/workforce";
import { unknownAgent } from "../dispatch/refusals.ts";
import { agentOf } from "../input/callers.ts";
import { showAgent } from "../reading/agent-view.ts";
import type { Handler } from "./handler.ts";

export const getAgent: Handler<GetAgentRequest, GetAgentResponse> = async (context, request, call) => {
  const agent = await context.agents.find(agentOf(call, request.agentId));
  if (agent === null) throw unknownAgent();
  return create(GetAgentResponseSchema, { agent: await showAgent(context, agent) });
};
