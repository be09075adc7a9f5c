import type { HandlerContext } from "@connectrpc/connect";
import { newConversation } from "@muster/engine";
import type { InteractiveProgram } from "@muster/language";
import { type CallPrincipal, forbidden, invalidRequest } from "@muster/rpc";
import { type AgentName, isOf, type PinnedAgent } from "../../agents/programs.ts";
import type { SessionsContext } from "../../context.ts";
import { newHead } from "../../conversations/history/head.ts";
import { assertAgent } from "../../input/caller.ts";
import type { NewSession, NewThread } from "../../input/new-session.ts";
import { checkedInput, filesIn } from "../../input/values.ts";
import { assertStorable } from "../../store/refusals/unavailable.ts";
import { inDocument, type SessionDocument } from "../../store/session-document.ts";
import { assertFiles } from "../begin/assert-files.ts";

/** The document of a session that has not been used yet. Throws INVALID_INPUT or TOO_LARGE. */
export async function newDocument(
  context: SessionsContext,
  { program, ...agent }: OpenAgent,
  { input: given, metadata, subject }: NewSession,
  sessionId: string,
): Promise<SessionDocument> {
  const values = checkedInput(program.input, given);
  // No caller can have uploaded a file for a session that does not exist.
  await assertFiles(context, { projectId: agent.projectId, ownerIds: [] }, filesIn(program.input, values));
  const input = JSON.stringify(values);
  const conversation = inDocument(newConversation(program));
  assertStorable(context, { input, ...conversation });
  const nowMs = context.clock.now();
  return {
    _id: sessionId,
    ...agent,
    ...(subject !== undefined && { subject }),
    status: "active",
    input,
    head: [...newHead(context.newId)],
    ...conversation,
    title: null,
    messageCount: 0,
    ...(metadata.length > 0 && { metadata }),
    createdAt: new Date(nowMs),
    updatedAt: new Date(nowMs),
    expiresAt: context.expiryFrom(nowMs),
    epoch: 0,
    lease: null,
    execution: null,
  };
}

export interface OpenAgent extends PinnedAgent {
  program: InteractiveProgram;
}

/** Throws FORBIDDEN if the caller can never open this agent's sessions. */
export function assertMayOpen(caller: CallPrincipal, name: AgentName): void {
  if (caller.sessionId !== undefined) {
    throw forbidden("This credential is valid for one session and cannot create others.");
  }
  if ("agentId" in name) assertAgent(caller, name.agentId);
}

/** The version of an agent for new sessions of this caller. Absent: the latest, unless the agent is archived. */
export async function openAgent(
  { programs }: SessionsContext,
  caller: CallPrincipal,
  name: AgentName,
  call: HandlerContext,
  version?: number,
): Promise<OpenAgent> {
  const { projectId } = caller;
  const archived = "This agent is archived and accepts no new sessions.";
  const { program, agentId, agentVersion } =
    version === undefined
      ? await programs.latest(name, projectId, call, archived)
      : await programs.version(
          { projectId, agentId: await programs.idOf(name, projectId, call), agentVersion: version },
          call,
        );
  assertAgent(caller, agentId);
  if (!isOf(program, "interactive")) {
    throw invalidRequest(
      "agentId" in name ? "agentId" : "agentSlug",
      "must be an interactive agent; workers are executed instead",
    );
  }
  return { projectId: caller.projectId, agentId, agentVersion, program };
}

/** Opens the session of a workforce thread, unless an earlier request with the same id has. */
export async function openHiddenSession(
  hidden: SessionsContext,
  caller: CallPrincipal,
  session: NewSession,
  { sessionId, workforceAgentId, threadId, agentVersion }: NewThread,
  call: HandlerContext,
): Promise<void> {
  if (await exists(hidden, caller, sessionId)) return;
  const version = agentVersion === 0 ? undefined : agentVersion;
  const agent = await openAgent(hidden, caller, session.agent, call, version);
  const document = {
    ...(await newDocument(hidden, agent, session, sessionId)),
    workforce: {
      agentId: workforceAgentId,
      ...(threadId !== "" && { threadId }),
      driverEpoch: 0,
      call: null,
    },
  };
  if (await hidden.store.insert(document)) return;
  // A request that was sent at the same time, or the first attempt of this one.
  if (!(await exists(hidden, caller, sessionId)))
    throw invalidRequest("workforce.sessionId", "belongs to a session of another project");
}

async function exists(
  { store }: SessionsContext,
  { projectId }: CallPrincipal,
  sessionId: string,
): Promise<boolean> {
  return (await store.findAgent({ projectId, sessionId })) !== null;
}
