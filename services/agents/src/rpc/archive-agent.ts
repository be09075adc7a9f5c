import { create } from "@bufbuild/protobuf";
import {
  type ArchiveAgentRequest,
  type ArchiveAgentResponse,
  ArchiveAgentResponseSchema,
} from "@muster/proto/agents";
import { writerOf } from "./callers.ts";
import type { Handler } from "./handler.ts";
import { notFound, parseRef, requireActive } from "./lookups.ts";

export const archiveAgent: Handler<ArchiveAgentRequest, ArchiveAgentResponse> = async (
  context,
  request,
  call,
) => {
  const { projectId } = writerOf(call);
  const key = parseRef(request.agent);
  const agentId = "id" in key ? key.id : (await requireActive(context, projectId, key))._id;
  const archived = await context.agents.archive(projectId, agentId, new Date(context.clock.now()));
  if (!archived) throw notFound();
  return create(ArchiveAgentResponseSchema, { agentId });
};
