import type { JsonValue } from "@muster/language";
import type { CreateSessionRequest, WorkforceThread } from "@muster/proto/sessions";
import type { Issues } from "@muster/rpc";
import type { AgentName } from "../agents/programs.ts";
import { toEntries } from "../store/metadata.ts";
import { checkId, readObject } from "./fields.ts";
import { readMetadata } from "./metadata.ts";

type NewSessionFields = Pick<CreateSessionRequest, "agentId" | "agentSlug" | "inputJson" | "metadataJson">;

/** The well-formed description of a session that does not exist yet. */
export interface NewSession {
  agent: AgentName;
  input: Record<string, JsonValue>;
  /** The metadata as in the session's document. */
  metadata: string[];
}

export async function readNewSession(issues: Issues, request: NewSessionFields): Promise<NewSession> {
  return {
    agent: readName(issues, request),
    input: await readObject(issues, "input", request.inputJson),
    metadata: toEntries(await readMetadata(issues, request.metadataJson)),
  };
}

/** The workforce thread that a new session belongs to. */
export type NewThread = Omit<WorkforceThread, "$typeName">;

export function readThread(issues: Issues, thread: WorkforceThread | undefined): NewThread | undefined {
  if (thread === undefined) return undefined;
  checkId(issues, "workforce.sessionId", thread.sessionId);
  if (!thread.sessionId.startsWith("ses_")) issues.add("workforce.sessionId", "must begin with ses_");
  checkId(issues, "workforce.workforceAgentId", thread.workforceAgentId);
  return thread;
}

/** The agent, named by exactly one of id and slug. */
function readName(issues: Issues, { agentId, agentSlug }: NewSessionFields): AgentName {
  if (agentSlug === "") {
    checkId(issues, "agentId", agentId);
    return { agentId };
  }
  checkId(issues, "agentSlug", agentSlug);
  if (agentId !== "") issues.add("agentSlug", "cannot be combined with agentId");
  return { slug: agentSlug };
}
