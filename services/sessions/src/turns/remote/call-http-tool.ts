import { hash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { RemoteCall, RemoteOutcome, RemoteTarget } from "@muster/engine";
import { FetchProblem, type GuardedFetch, type GuardedResponse } from "@muster/guarded-fetch";
import { isJsonObject, type JsonValue } from "@muster/language";
import type { Clock, Secret } from "@muster/service";
import { signWebhook } from "@muster/service/webhook-signature";
import type { ToolHosts } from "../../agents/project-settings.ts";
import { readJson } from "../../input/values.ts";

/** The turn that makes a call, for the service. */
export interface CallPlace {
  projectId: string;
  executionId: string;
  agentId: string;
  /** Absent: the turn is a run of a thread. */
  sessionId?: string;
  threadId?: string;
  /** For whom the session or execution is. Absent: for none. */
  subject?: string;
}

/** A call that its service will answer later, by `callId`. */
export interface AcceptedCall {
  callId: string;
  toolCallId: string;
  toolName: string;
  /** Its secret signs the answer. */
  host: string;
  expiresAt: Date;
}

export interface CallingTurn {
  place: CallPlace;
  /** See `DriveOrder`. */
  keepOpen?: (accepted: AcceptedCall) => Promise<void>;
}

export interface HttpToolServices {
  /** Reaches public addresses, and hosts that the operator has listed. */
  toolFetch: GuardedFetch;
  clock: Clock;
}

/** The limit of a result, from MCP servers and HTTP tools alike. */
export const maxResultBytes = 1024 * 1024;
const maxErrorLength = 2_000;
/** Before a call of an idempotent tool is sent again. */
const retryDelaysMs = [500, 2_000];

const unknownOutcome =
  "The outcome of this call is unknown: it was sent, and %. It may have taken effect. Check that before you make it again.";

type Sent = { isSent: true; why: string };
type Accepted = { isAccepted: true };

/**
 * Sends the call to the service of the tool. The signature and the id are those of Standard Webhooks; the id is the same in each
 * attempt. Rejects with the reason of the signal.
 */
export async function callHttpTool(
  services: HttpToolServices,
  hosts: ToolHosts,
  turn: CallingTurn,
  call: RemoteCall & { target: Extract<RemoteTarget, { type: "http" }> },
  signal: AbortSignal,
): Promise<RemoteOutcome> {
  const { http } = call.target;
  const { host: name } = new URL(http.url);
  const host = hosts.get(name);
  const secret = host?.secret;
  if (host === undefined)
    return failed(`The project does not allow calls to ${name}. An administrator can add it to toolHosts.`);
  if (secret === undefined)
    return failed(`The project has no secret for ${name}. An administrator can set one.`);
  if ("problem" in secret) return failed(secret.problem);
  const delays = http.idempotent ? retryDelaysMs.values() : [].values();
  for (;;) {
    const sent = await send(services, turn.place, call, secret, signal);
    const outcome = "isAccepted" in sent ? await keepOpen(services, turn, call, name) : sent;
    if (!("isSent" in outcome)) return host.isUntrusted ? { ...outcome, isForeign: true } : outcome;
    const delay = delays.next();
    if (delay.done) return { ...failed(unknownOutcome.replace("%", () => outcome.why)), isUnknown: true };
    await setTimeout(delay.value, undefined, { signal });
  }
}

/** Before anything else happens to the turn: the service may answer at once. */
async function keepOpen(
  { clock }: HttpToolServices,
  turn: CallingTurn,
  { target: { http, tool: toolName }, toolCallId }: Parameters<typeof callHttpTool>[3],
  host: string,
): Promise<RemoteOutcome> {
  const callId = callIdOf(turn.place, toolName, toolCallId);
  const expiresAt = new Date(clock.now() + http.openForMs);
  await turn.keepOpen?.({ callId, toolCallId, toolName, host, expiresAt });
  return { type: "open", callId, expiresAt: expiresAt.toISOString() };
}

/** The same in each attempt and on each instance. It leads to the project, to which any query is limited. */
function callIdOf({ projectId, executionId }: CallPlace, toolName: string, toolCallId: string): string {
  const digits = hash("sha256", [projectId, executionId, toolName, toolCallId].join(" ")).slice(0, 32);
  return `call_${digits}_${projectId}`;
}

/** Undefined: the text is the id of no call. */
export function projectOfCall(callId: string): string | undefined {
  return /^call_[0-9a-f]{32}_(.{1,100})$/.exec(callId)?.[1];
}

async function send(
  { toolFetch, clock }: HttpToolServices,
  place: CallPlace,
  { target: { http, tool: toolName }, toolCallId, args }: Parameters<typeof callHttpTool>[3],
  secret: Secret,
  signal: AbortSignal,
): Promise<RemoteOutcome | Sent | Accepted> {
  const { projectId: _, executionId: __, ...where } = place;
  const callId = callIdOf(place, toolName, toolCallId);
  const body = JSON.stringify({ callId, toolCallId, toolName, args, ...where });
  const headers = { "content-type": "application/json", ...signWebhook([secret], callId, body, clock.now()) };
  let isSent = false;
  const onConnect = () => {
    isSent = true;
  };
  const { method, timeoutMs } = http;
  try {
    const options = {
      method,
      headers,
      body,
      maxBytes: maxResultBytes,
      timeoutMs,
      redirects: "return",
      onConnect,
    } as const;
    return await read(await toolFetch(http.url, options, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof FetchProblem)) throw error;
    const why = lowerFirst(error.message.replace(/\.$/, ""));
    return isSent ? { isSent, why } : failed(`The call was not sent: ${why}.`);
  }
}

async function read(response: GuardedResponse): Promise<RemoteOutcome | Sent | Accepted> {
  const { status } = response;
  const text = await response.text();
  if (status >= 500) return { isSent: true, why: `the service answered with HTTP ${status}` };
  if (!response.ok) return failed(`The service answered with HTTP ${status}${reasonIn(text)}.`);
  if (text === "") return { type: "result", result: null };
  const parsed = await readJson(text);
  if (status === 202 && parsed.ok && isJsonObject(parsed.value) && parsed.value.accepted === true)
    return { isAccepted: true };
  return parsed.ok
    ? { type: "result", result: parsed.value }
    : failed("The service carried the call out, but its answer is not JSON.");
}

/** The message in the usual places of an error, or the text itself. */
function reasonIn(text: string): string {
  let reason: JsonValue | undefined = text;
  try {
    const value: JsonValue = JSON.parse(text);
    const { error, message, detail } = isJsonObject(value) ? value : {};
    reason = (isJsonObject(error ?? null) ? undefined : error) ?? message ?? detail ?? text;
  } catch {
    // Then it is text.
  }
  const shown = typeof reason === "string" ? reason.trim() : "";
  return shown === "" ? "" : `: ${shown.slice(0, maxErrorLength).replace(/\.$/, "")}`;
}

function failed(error: string): RemoteOutcome {
  return { type: "error", error };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
