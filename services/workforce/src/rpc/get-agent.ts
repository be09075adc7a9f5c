import { create } from "@bufbuild/protobuf";
import { GetAgentResponseSchema } from "@muster/proto/workforce";
import { agentOf } from "../input/caller.ts";
import { unknownAgent } from "../store/refusals.ts";
import { showAgent } from "../views/agent-view.ts";
import type { Handler } from "./handler.ts";

export const getAgent: Handler<"getAgent"> = async (context, request, call) => {
  const agent = await context.agents.find(agentOf(call, request.agentId));
  if (agent === null) throw unknownAgent();
  return create(GetAgentResponseSchema, { agent: await showAgent(context, agent) });
};
