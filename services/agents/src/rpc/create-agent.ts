import { create } from "@bufbuild/protobuf";
import { CreateAgentResponseSchema } from "@muster/proto/agents";
import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import { requireSound } from "../definition/diagnose.ts";
import { parseDefinition } from "../definition/draft.ts";
import { type AgentDocument, type VersionDocument, versionId } from "../store/documents.ts";
import { writerOf } from "./caller.ts";
import type { Handler } from "./handler.ts";

export const createAgent: Handler<"createAgent"> = async (context, request, call) => {
  const { projectId } = writerOf(call);
  const draft = parseDefinition(request.definition);
  const { definition, issues, workers } = await requireSound(
    context,
    { projectId, signal: call.signal, mcpServers: request.mcpServers?.slugs },
    draft,
  );

  const { settings } = definition;
  // Saves two writes if the slug is taken; the unique index decides between concurrent creates.
  if (await context.agents.findActive(projectId, { slug: settings.slug })) throw slugTaken(settings.slug);
  const agentId = context.newId("agt");
  const at = new Date(context.clock.now());
  const agent: AgentDocument = {
    ...{ _id: agentId, projectId, slug: settings.slug, state: "active", latestVersion: 1, settings, workers },
    ...(request.managed && { managed: true }),
    createdAt: at,
    updatedAt: at,
    audit: [context.auditEntry(call, "agent.create", { projectId, target: agentId, after: definition })],
  };
  const first: VersionDocument = {
    ...{ _id: versionId(agentId, 1), agentId, projectId, version: 1 },
    ...definition,
    workers,
    changes: ["created"],
    createdAt: at,
  };
  if (!(await context.agents.create(agent, first))) throw slugTaken(settings.slug);
  return create(CreateAgentResponseSchema, { agentId, version: 1, issues });
};

function slugTaken(slug: string) {
  const message = `Another agent already has the slug ${slug}. Choose another slug or archive that agent.`;
  return rpcError(Reason.SLUG_TAKEN, message);
}
