import type { Lease } from "@muster/store";
import type { WorkforceContext } from "../context.ts";
import { type DeliveryDocument, keyOfWebhook, type WebhookDocument } from "../store/webhook-document.ts";
import type { Round } from "../store/webhook-store.ts";
import { type Sent, sendDelivery } from "./send-delivery.ts";

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 24 * 3_600_000];
/** Before each further attempt. */
const retryDelaysMs = [
  ...[5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute],
  ...[hour, 3 * hour, 6 * hour, 12 * hour, day, day, day],
];
const maxDelayMs = day;
/** The share of a delay by which it is longer or shorter at random. */
const jitter = 0.2;
/** A webhook is paused once that many attempts have failed in a row, over at least that time. */
const pausing = { failures: 20, overMs: 3 * day };
/** How long deliveries that have ended are kept. */
export const keepMs = 7 * day;
/** Longer than an attempt can take. */
const leaseMs = 30_000;
/** The deliveries that one webhook receives at once. */
const roundSize = 16;
/** A webhook that accepts everything gives its turn to others after this. */
const turnMs = 1_000;

type Context = Pick<
  WorkforceContext,
  | "webhooks"
  | "deliveries"
  | "callbackSecrets"
  | "secretBox"
  | "webhookFetch"
  | "clock"
  | "log"
  | "instance"
  | "onlyHolder"
  | "timings"
  | "random"
  | "metrics"
  | "wakeUps"
>;

/**
 * Sends the deliveries of a webhook that are due: all of them within a turn, or until one round fails, so that others have
 * their turns. Does nothing if another instance does so.
 */
export async function sendDue(context: Context, found: WebhookDocument, signal: AbortSignal): Promise<void> {
  const { webhooks, deliveries, clock, instance, onlyHolder, wakeUps } = context;
  const key = keyOfWebhook(found);
  const lease = (): Lease => ({ holder: instance, until: new Date(clock.now() + leaseMs) });
  const beganMs = clock.monotonicMs();
  let webhook = await webhooks.take(key, lease(), new Date(clock.now()), onlyHolder);
  while (webhook !== null) {
    const current: WebhookDocument = webhook;
    if (signal.aborted) return webhooks.giveUp(current);
    // One that fails is asked with a single delivery, until it accepts one.
    const size = current.failures > 0 ? 1 : roundSize;
    const due = await deliveries.due(key, new Date(clock.now()), size);
    const sending = due.map((delivery) => attempt(context, current, delivery, signal));
    const sent = await Promise.all(sending).catch(async (error: unknown) => {
      await webhooks.giveUp(current);
      throw error;
    });
    const now = new Date(clock.now());
    const round = roundOf(current, sent, now);
    const next = due.length < size ? await deliveries.nextDue(key) : now;
    const isDone = round.pausedReason === undefined && (next === undefined || next > now);
    const isReleased = isDone && (await webhooks.release(current, next, round));
    // Deliveries are due, or were added meanwhile.
    if (!isReleased) webhook = await webhooks.noteRound(current, round, lease().until);
    if (sent.length > 0 && !current.isCallback) wakeUps.webhookChanged(key);
    if (isReleased) return;
    const isOver = round.failures > 0 || clock.monotonicMs() - beganMs >= turnMs;
    if (webhook !== null && isOver) return webhooks.giveUp(webhook);
  }
}

/** Sends a delivery once, and stores the outcome. */
async function attempt(
  context: Context,
  webhook: WebhookDocument,
  delivery: DeliveryDocument,
  signal: AbortSignal,
): Promise<Sent> {
  const sent = await sendDelivery(context, webhook, delivery, signal);
  const { latencyMs } = sent.attempt;
  context.metrics?.observe(
    "muster_webhook_attempt_duration_seconds",
    { outcome: sent.outcome },
    latencyMs / 1e3,
  );
  const now = context.clock.now();
  const delayMs = sent.outcome === "refused" ? retryDelay(sent, delivery, context.random) : undefined;
  const status = sent.outcome === "accepted" ? "delivered" : delayMs === undefined ? "failed" : "pending";
  await context.deliveries.noteAttempt(delivery, sent.attempt, {
    status,
    ...(delayMs !== undefined && { dueAt: new Date(now + delayMs) }),
    expiresAt: status === "pending" ? delivery.expiresAt : new Date(now + keepMs),
  });
  return sent;
}

/** Undefined: it was the last attempt. */
function retryDelay({ retryAfterMs }: Sent, { tries }: DeliveryDocument, random: () => number) {
  const usual = retryDelaysMs[tries];
  if (usual === undefined) return undefined;
  const jittered = usual * (1 + jitter * (2 * random() - 1));
  // At least the usual delay: otherwise, one that says 0 would use up all attempts at once.
  return Math.min(Math.max(jittered, (retryAfterMs ?? 0) * (1 + jitter * random())), maxDelayMs);
}

function roundOf(webhook: WebhookDocument, sent: readonly Sent[], now: Date): Round {
  // No administrator could enable a callback again: only its deliveries fail.
  if (!webhook.isCallback && sent.some(({ outcome }) => outcome === "gone")) {
    const pausedReason = "The receiver answered with HTTP 410: it wants no more events.";
    return { failures: webhook.failures + 1, failingSince: now, pausedReason, disable: true };
  }
  if (sent.length === 0) return { failures: webhook.failures, failingSince: webhook.failingSince ?? null };
  if (sent.some(({ outcome }) => outcome === "accepted")) return { failures: 0, failingSince: null };
  const failures = webhook.failures + sent.length;
  const failingSince = webhook.failingSince ?? now;
  const isPaused = failures >= pausing.failures && now.getTime() - failingSince.getTime() >= pausing.overMs;
  if (!isPaused || webhook.isCallback) return { failures, failingSince };
  const problem = sent.at(-1)?.attempt.problem ?? "";
  const pausedReason = `Its last ${failures} attempts have failed, for more than 3 days. ${problem}`.trim();
  return { failures, failingSince, pausedReason };
}
