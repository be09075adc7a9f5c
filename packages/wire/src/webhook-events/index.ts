/** The types of the events that webhooks can receive. */
export const webhookEventTypes = [
  "thread.running",
  "thread.waiting",
  "thread.completed",
  "thread.failed",
  "thread.cancelled",
  "thread.blocked",
  "recording.ready",
  "recording.failed",
  "approval.requested",
  "approval.decided",
  "approval.expired",
  "session.expired",
  "schedule.paused",
  "limit.warning",
  "limit.reached",
] as const;

export type WebhookEventType = (typeof webhookEventTypes)[number];

/** The event of a test, which no webhook subscribes to. */
export const webhookTestType = "webhook.test";
