import type { HandlerContext } from "@connectrpc/connect";
import { type CallPrincipal, invalidRequest } from "@muster/rpc";
import type { SessionsContext } from "../../context.ts";
import type { NewSession, NewThread } from "../../input/new-session.ts";
import { newDocument } from "./new-document.ts";
import { openAgent } from "./open-agent.ts";

/** Opens the session of a workforce thread, unless an earlier request with the same id has. */
export async function openHiddenSession(
  hidden: SessionsContext,
  caller: CallPrincipal,
  session: NewSession,
  { sessionId, workforceAgentId, agentVersion }: NewThread,
  call: HandlerContext,
): Promise<void> {
  if (await exists(hidden, caller, sessionId)) return;
  const version = agentVersion === 0 ? undefined : agentVersion;
  const agent = await openAgent(hidden, caller, session.agent, call, version);
  const document = {
    ...(await newDocument(hidden, agent, session, sessionId)),
    workforce: { agentId: workforceAgentId, driverEpoch: 0, call: null },
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
