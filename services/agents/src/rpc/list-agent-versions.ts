import { create } from "@bufbuild/protobuf";
import {
  type ListAgentVersionsRequest,
  type ListAgentVersionsResponse,
  ListAgentVersionsResponseSchema,
} from "@muster/proto/agents";
import { readerOf } from "./callers.ts";
import type { Handler } from "./handler.ts";
import { parseRef, requireActive } from "./lookups.ts";
import { toVersion } from "./messages.ts";

export const listAgentVersions: Handler<ListAgentVersionsRequest, ListAgentVersionsResponse> = async (
  context,
  request,
  call,
) => {
  const { projectId } = readerOf(call);
  const agent = await requireActive(context, projectId, parseRef(request.agent));
  const versions = await context.agents.listVersions(projectId, agent._id, agent.latestVersion);
  return create(ListAgentVersionsResponseSchema, { versions: versions.map(toVersion) });
};
