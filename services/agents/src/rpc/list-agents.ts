import { create } from "@bufbuild/protobuf";
import { ListAgentsResponseSchema } from "@muster/proto/agents";
import { readerOf } from "./caller.ts";
import type { Handler } from "./handler.ts";
import { toSummary } from "./messages.ts";

export const listAgents: Handler<"listAgents"> = async (context, _request, call) => {
  const { projectId, agentId } = readerOf(call);
  const agents = await context.agents.listActive(projectId, agentId);
  return create(ListAgentsResponseSchema, { agents: agents.map(toSummary) });
};
