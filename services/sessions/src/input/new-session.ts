import type { JsonValue } from "@muster/language";
import type { CreateSessionRequest, WorkforceThread } from "@muster/proto/sessions";
import { type CallPrincipal, checkSubject, type Issues, subjectFor } from "@muster/rpc";
import type { AgentName } from "../agents/programs.ts";
import { type Metadata, toEntries } from "../store/metadata.ts";
import { checkId, readObject } from "./values.ts";

type NewSessionFields = Pick<
  CreateSessionRequest,
  "agentId" | "agentSlug" | "inputJson" | "metadataJson" | "subject"
>;

/** The well-formed description of a session that does not exist yet. */
export interface NewSession {
  agent: AgentName;
  input: Record<string, JsonValue>;
  /** The metadata as in the session's document. */
  metadata: string[];
  /** Absent: for none. */
  subject?: string;
}

/** Throws FORBIDDEN for a token that names another subject than its own. */
export async function readNewSession(
  issues: Issues,
  request: NewSessionFields,
  caller: CallPrincipal,
): Promise<NewSession> {
  checkSubject(issues, request.subject);
  const subject = subjectFor(caller, request.subject);
  return {
    ...(subject !== undefined && { subject }),
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

const maxKeys = 16;
const maxKeyLength = 64;
const maxValueLength = 512;

/** Null or an empty string removes its key. */
export type MetadataChanges = Readonly<Record<string, string | null>>;

/** The metadata of a new session. An empty string means no entry, as in a change. */
export async function readMetadata(issues: Issues, text: string): Promise<Metadata> {
  const changes = await readChanges(issues, text, "a string");
  return mergeMetadata(issues, {}, changes);
}

/** The metadata of a change to a session. */
export function readMetadataChanges(issues: Issues, text: string): Promise<MetadataChanges> {
  return readChanges(issues, text, "a string or null");
}

/** The metadata after the changes. New keys are last. */
export function mergeMetadata(issues: Issues, before: Metadata, changes: MetadataChanges): Metadata {
  const after = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === "") after.delete(key);
    else after.set(key, value);
  }
  if (after.size > maxKeys) issues.add("metadata", `must have at most ${maxKeys} keys`);
  return Object.fromEntries(after);
}

async function readChanges(
  issues: Issues,
  text: string,
  expected: "a string" | "a string or null",
): Promise<MetadataChanges> {
  const changes = new Map<string, string | null>();
  for (const [key, value] of Object.entries(await readObject(issues, "metadata", text))) {
    const path = `metadata.${key}`;
    if (key === "") issues.add("metadata", "must not have an empty key");
    else if (key.length > maxKeyLength)
      issues.add(path, `must have a key of at most ${maxKeyLength} characters`);
    if (typeof value === "string") {
      issues.checkLength(path, value, { max: maxValueLength });
      changes.set(key, value);
    } else if (value === null && expected === "a string or null") changes.set(key, value);
    else issues.add(path, `must be ${expected}`);
  }
  return Object.fromEntries(changes);
}
