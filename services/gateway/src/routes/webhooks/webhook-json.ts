import type { Delivery, RotateCallbackSecretResponse, Webhook } from "@muster/proto/webhooks";
import type { Static } from "@muster/wire/schema";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { isoOf, optionalIsoOf } from "../../schemas/iso.ts";
import type { deliveryReply, rotatedSecretReply, webhookReply } from "../../schemas/webhooks.ts";

/** The public fields of a webhook. */
export function webhookJson(webhook: Webhook | undefined): Static<typeof webhookReply> {
  if (webhook === undefined) throw internalProblem(new Error("The response has no webhook"));
  const { id, projectId, slug, url, events, enabled, revision, managed } = webhook;
  return {
    ...{ id, projectId, slug, url, events, enabled, revision, managed },
    agentId: webhook.agentId ?? null,
    description: webhook.description ?? null,
    pausedReason: webhook.pausedReason ?? null,
    createdAt: isoOf(webhook.createdAt),
    updatedAt: isoOf(webhook.updatedAt),
  };
}

/** The public fields of a delivery. */
export function deliveryJson(delivery: Delivery | undefined): Static<typeof deliveryReply> {
  if (delivery === undefined) throw internalProblem(new Error("The response has no delivery"));
  const { id, webhookId, eventId, type, status, attemptCount, payload } = delivery;
  return {
    ...{ id, webhookId, eventId, type, status, attemptCount },
    attempts: delivery.attempts.map((attempt) => ({
      at: isoOf(attempt.at),
      status: attempt.status ?? null,
      latencyMs: attempt.latencyMs,
      problem: attempt.problem ?? null,
      answer: attempt.answer ?? null,
    })),
    nextAttemptAt: optionalIsoOf(delivery.nextAttemptAt),
    createdAt: isoOf(delivery.createdAt),
    payload,
  };
}

export function rotatedSecretJson({
  secret,
  earlierUntil,
}: Pick<RotateCallbackSecretResponse, "secret" | "earlierUntil">): Static<typeof rotatedSecretReply> {
  return { secret, earlierUntil: optionalIsoOf(earlierUntil) };
}
