import { FetchProblem, type GuardedResponse } from "@muster/guarded-fetch";
import { signWebhook } from "@muster/service/webhook-signature";
import type { WorkforceContext } from "../context.ts";
import type { Attempt, DeliveryDocument, WebhookDocument } from "../store/webhook-document.ts";
import { openSecrets, ownerOfCallbacks } from "./secrets.ts";

const maxAnswerBytes = 1_024;

export interface Sent {
  attempt: Attempt;
  /** `gone`: the receiver wants no more. */
  outcome: "accepted" | "refused" | "gone";
  /** The receiver wants no attempt before. Absent: it does not say. */
  retryAfterMs?: number;
}

type Context = Pick<
  WorkforceContext,
  "callbackSecrets" | "secretBox" | "webhookFetch" | "timings" | "clock" | "log"
>;

/** One attempt, which the receiver accepts with a status of 2xx. Rejects with the reason of the signal only. */
export async function sendDelivery(
  context: Context,
  webhook: WebhookDocument,
  { eventId, payload }: Pick<DeliveryDocument, "eventId" | "payload">,
  signal?: AbortSignal,
): Promise<Sent> {
  const { clock, webhookFetch, timings } = context;
  const at = new Date(clock.now());
  const beganMs = clock.monotonicMs();
  const attempt = () => ({ at, latencyMs: Math.round(clock.monotonicMs() - beganMs) });
  const failed = (problem: string): Sent => ({ attempt: { ...attempt(), problem }, outcome: "refused" });
  const keys = await secretsOf(context, webhook, at);
  if ("problem" in keys) return failed(keys.problem);
  const signature = signWebhook(keys.secrets, eventId, payload, at.getTime());
  const headers = {
    ...{ "content-type": "application/json", "accept-encoding": "identity", "user-agent": "Muster" },
    ...signature,
  };
  const options = {
    method: "POST",
    headers,
    body: payload,
    // One that announces a long answer has answered, too: nothing is read beyond the first KiB.
    maxBytes: Number.POSITIVE_INFINITY,
    // One in an unknown encoding has answered as well.
    decode: false,
    timeoutMs: timings.webhookTimeoutMs,
    redirects: "return",
  } as const;
  try {
    const response = await webhookFetch(webhook.url, options, signal);
    const answer = await firstKiB(response);
    return read(response, { ...attempt(), ...(answer !== "" && { answer }) }, clock.now());
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof FetchProblem)) throw error;
    return failed(error.message);
  }
}

async function secretsOf(context: Context, webhook: WebhookDocument, now: Date) {
  if (!webhook.isCallback) return openSecrets(context, webhook, webhook.secrets, now);
  const { secrets } = await context.callbackSecrets.read(webhook.projectId);
  return openSecrets(context, ownerOfCallbacks(webhook.projectId), secrets, now);
}

/** The status decides: a body that is cut or too long changes nothing. */
async function firstKiB({ body }: GuardedResponse): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of body) {
      pieces.push(piece);
      length += piece.length;
      if (length >= maxAnswerBytes) break;
    }
  } catch (error) {
    if (!(error instanceof FetchProblem)) throw error;
  }
  const text = new TextDecoder().decode(Buffer.concat(pieces).subarray(0, maxAnswerBytes));
  return text.replace(/\uFFFD$/, "");
}

function read({ status, ok, headers }: GuardedResponse, attempt: Attempt, nowMs: number): Sent {
  if (ok) return { attempt: { ...attempt, status }, outcome: "accepted" };
  const isRedirect = status >= 300 && status < 400;
  const problem = isRedirect
    ? `The receiver redirects with HTTP ${status}, which webhooks do not follow.`
    : `The receiver answered with HTTP ${status}.`;
  const retryAfterMs = status === 429 || status === 503 ? readRetryAfter(headers, nowMs) : undefined;
  return {
    attempt: { ...attempt, status, problem },
    outcome: status === 410 ? "gone" : "refused",
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
function readRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get("retry-after") ?? "";
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
