import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { UpdateAgentResponseSchema } from "@muster/proto/agents";
import { Reason } from "@muster/proto/errors";
import { type HandlerContext, rpcError } from "@muster/rpc";
import type { AgentsContext } from "../context.ts";
import { applyChange, type DefinitionChange, parseChange } from "../definition/change.ts";
import { type CheckFor, requireSound } from "../definition/diagnose.ts";
import { type AgentDocument, sourceOf, type VersionDocument, versionId } from "../store/documents.ts";
import { writerOf } from "./caller.ts";
import type { Handler } from "./handler.ts";
import { parseRef, requireActive, requireVersion, versionMismatch } from "./lookups.ts";

/** Each lost race means that another change was stored, so this also limits how many changes may intervene. */
const maxAttempts = 50;

export const updateAgent: Handler<"updateAgent"> = async (context, request, call) => {
  const { projectId } = writerOf(call);
  const key = parseRef(request.agent);
  const change = parseChange(request);
  const checkFor = { projectId, signal: call.signal, mcpServers: request.mcpServers?.slugs };
  const { _id: agentId } = await requireActive(context, projectId, key);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const agent = await requireActive(context, projectId, { id: agentId });
    const { expectedVersion = agent.latestVersion } = request;
    if (expectedVersion !== agent.latestVersion) throw versionMismatch(agent);
    const outcome = await storeChange(context, agent, change, checkFor, call);
    if (outcome !== undefined) {
      const { managed } = request;
      if (managed !== undefined) {
        const marked = { projectId, target: agentId, after: { managed } };
        const entry = context.auditEntry(call, "agent.update", marked);
        await context.agents.mark(projectId, agentId, managed, entry);
      }
      return create(UpdateAgentResponseSchema, { agentId, ...outcome });
    }
    await announceNext(context, agent);
  }
  throw rpcError(Reason.UNAVAILABLE, "Too many clients are changing the agent at once. Try again.", {
    retryAfterMs: 500,
  });
};

type Outcome = Required<Pick<MessageInitShape<typeof UpdateAgentResponseSchema>, "version" | "issues">>;

/** The version that is current afterwards; undefined if another writer stored the next version first. */
async function storeChange(
  context: AgentsContext,
  agent: AgentDocument,
  change: DefinitionChange,
  checkFor: CheckFor,
  call: HandlerContext,
): Promise<Outcome | undefined> {
  const current = await requireVersion(context, agent);
  const { definition: draft, changes } = applyChange(current, change);
  if (changes.length === 0) return { version: agent.latestVersion, issues: [] };
  const { _id: agentId, projectId } = agent;
  const { definition, issues, workers } = await requireSound(context, checkFor, draft);
  const version = agent.latestVersion + 1;
  const next: VersionDocument = {
    ...{ _id: versionId(agentId, version), agentId, projectId, version },
    ...definition,
    workers,
    changes,
    entry: context.auditEntry(call, "agent.update", {
      ...{ projectId, target: agentId, before: sourceOf(current), after: definition },
    }),
    createdAt: new Date(context.clock.now()),
  };
  if (!(await context.agents.insertVersion(next))) return undefined;
  await context.agents.announce(next);
  return { version, issues };
}

/** The other writer may have died before it announced its version; without this, no writer could succeed again. */
async function announceNext({ agents }: AgentsContext, agent: AgentDocument): Promise<void> {
  const next = await agents.findVersion(agent.projectId, agent._id, agent.latestVersion + 1);
  if (next !== null) await agents.announce(next);
}
