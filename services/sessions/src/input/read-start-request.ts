import { create } from "@bufbuild/protobuf";
import { type JsonValue, parseJson } from "@muster/language";
import { canonicalHash } from "@muster/large-data";
import { type StartSessionRequest, TriggerRequestSchema } from "@muster/proto/sessions";
import { type CallPrincipal, type Idempotency, Issues, readIdempotency } from "@muster/rpc";
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
 * Throws INVALID_REQUEST with every issue, INVALID_IDEMPOTENCY_KEY, or FORBIDDEN for the subject. `sessionId`: of the session to be opened.
 */
export async function readStartRequest(
  request: StartSessionRequest,
  sessionId: string,
  caller: CallPrincipal,
): Promise<StartRequest> {
  const issues = new Issues();
  const session = await readNewSession(issues, request, caller);
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
  const hash = () => bodyHashOf(request, session, command);
  const idempotency = await readIdempotency(request.idempotencyKey, hash);
  return { session, command, ...(idempotency && { idempotency }) };
}

/**
 * The hash of the parsed request: the order of keys and whitespace make no difference, nor does a default
 * that is given, nor whether the response is to be JSON.
 */
function bodyHashOf(
  { trigger }: StartSessionRequest,
  { agent, input, metadata, subject }: NewSession,
  command: BeginCommand,
): Promise<string> {
  const { triggerName, input: triggerInput, dynamicTools, detached, sender = null, maxUsd } = command;
  return canonicalHash({
    agent: { ...agent },
    input,
    metadata: [...metadata].sort(),
    triggerName,
    triggerInput,
    sender: sender && { ...sender },
    dynamicTools: dynamicTools.map((tool) => ({ ...tool })),
    outputSchemas: (trigger?.dynamicTools ?? []).map(({ outputSchemaJson }) =>
      parsedSchema(outputSchemaJson),
    ),
    detached,
    usage: trigger?.usage ?? false,
    ...(maxUsd !== undefined && { maxUsd }),
    ...(subject !== undefined && { subject }),
  });
}

function parsedSchema(text: string | undefined): JsonValue {
  const parsed = text === undefined ? undefined : parseJson(text);
  return parsed?.ok ? parsed.value : null;
}
