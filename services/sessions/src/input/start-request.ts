import { create } from "@bufbuild/protobuf";
import { type StartSessionRequest, TriggerRequestSchema } from "@muster/proto/sessions";
import { Issues } from "@muster/rpc";
import { bodyHashOf, type Idempotency, readKey } from "./idempotency.ts";
import { type NewSession, readNewSession } from "./new-session.ts";
import { type BeginCommand, readBeginning } from "./trigger-command.ts";

/** A well-formed request for a session and its first turn. */
export interface StartRequest {
  session: NewSession;
  /** For the session that the request opens, unless it is a repeat. */
  command: BeginCommand;
  /** Absent: every such request opens a session. */
  idempotency?: Idempotency;
}

/**
 * Throws INVALID_REQUEST with every issue, or INVALID_IDEMPOTENCY_KEY. `sessionId`: of the session to be opened.
 */
export async function readStartRequest(
  request: StartSessionRequest,
  sessionId: string,
): Promise<StartRequest> {
  const key = readKey(request);
  const issues = new Issues();
  const session = await readNewSession(issues, request);
  const { trigger, wantsResult } = request;
  if (trigger === undefined) {
    issues.add("trigger", "is required");
    issues.refuse();
  }
  const { $typeName: _, $unknown: __, ...fields } = trigger ?? {};
  const turn = create(TriggerRequestSchema, { ...fields, sessionId });
  if (wantsResult) Object.assign(turn, { usage: true, wantsResult });
  const command = await readBeginning(new Issues(issues, "trigger"), turn);
  issues.refuse();
  command.within = "trigger.";
  if (key === undefined) return { session, command };
  return { session, command, idempotency: { key, bodyHash: await bodyHashOf(request, session, command) } };
}
