import { createDueWork } from "../due-work.ts";
import { sendDue } from "./send-due.ts";

type Context = Parameters<typeof sendDue>[0];

/**
 * Sends the deliveries of webhooks. Each webhook is the work of one instance at a time, and those whose last attempt has failed
 * have a queue of their own: receivers that do not respond delay nothing but their own deliveries.
 */
export function createDeliverer(context: Context) {
  const { webhooks, onlyHolder } = context;
  return createDueWork(context, {
    lanes: ["steady", "failing"],
    find: (pace, now, except, limit) => webhooks.findDue(now, pace, except, limit, onlyHolder),
    work: (webhook, signal) => sendDue(context, webhook, signal),
    name: "a webhook",
  });
}
