import { create } from "@bufbuild/protobuf";
import { ArchiveAgentResponseSchema } from "@muster/proto/agents";
import { noSuchAgent } from "@muster/rpc";
import { writerOf } from "./caller.ts";
import type { Handler } from "./handler.ts";
import { parseRef, requireActive, versionMismatch } from "./lookups.ts";

export const archiveAgent: Handler<"archiveAgent"> = async (context, request, call) => {
  const { projectId } = writerOf(call);
  const key = parseRef(request.agent);
  const agentId = "id" in key ? key.id : (await requireActive(context, projectId, key))._id;
  const at = new Date(context.clock.now());
  const entry = context.auditEntry(call, "agent.archive", { projectId, target: agentId });
  const agent = await context.agents.archive(projectId, agentId, at, entry, request.expectedVersion);
  if (agent === null) throw noSuchAgent(agentId);
  if (agent.state !== "archived") throw versionMismatch(agent);
  return create(ArchiveAgentResponseSchema, { agentId });
};
