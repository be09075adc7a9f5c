import { create } from "@bufbuild/protobuf";
import {
  type ListAgentsRequest,
  type ListAgentsResponse,
  ListAgentsResponseSchema,
} from "@muster/proto/agents";
import { readerOf } from "./caller.ts";
import type { Handler } from "./handler.ts";
import { toSummary } from "./messages.ts";

export const listAgents: Handler<ListAgentsRequest, ListAgentsResponse> = async (context, _request, call) => {
  const { projectId, agentId } = readerOf(call);
  const agents = await context.agents.listActive(projectId, agentId);
  return create(ListAgentsResponseSchema, { agents: agents.map(toSummary) });
};
