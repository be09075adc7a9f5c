import { create } from "@bufbuild/protobuf";
import {
  type GetDefinitionRequest,
  type GetDefinitionResponse,
  GetDefinitionResponseSchema,
} from "@muster/proto/agents";
import { runnerOf } from "./callers.ts";
import type { Handler } from "./handler.ts";
import { notFound, requireVersion } from "./lookups.ts";
import { toAgent } from "./messages.ts";

export const getDefinition: Handler<GetDefinitionRequest, GetDefinitionResponse> = async (
  context,
  request,
  call,
) => {
  const { projectId } = runnerOf(call, request.agentId);
  const agent = await context.agents.find(projectId, request.agentId);
  if (agent === null) throw notFound();
  const version = await requireVersion(context, agent, request.version);
  return create(GetDefinitionResponseSchema, {
    agent: toAgent(agent, version),
    archived: agent.state === "archived",
  });
};
