import { FairQueue } from "@muster/service";
import type { WebhookDocument } from "../store/webhook-document.ts";
import type { Pace } from "../store/webhook-store.ts";
import { sendDue } from "./send-due.ts";

const limits = { running: 64, runningPerOwner: 16 };
const batchSize = 100;
/** One project's webhooks beyond this wait in the store. */
const maxHeldPerProject = 100;

type Context = Parameters<typeof sendDue>[0];

export type Deliverer = ReturnType<typeof createDeliverer>;

/**
 * Sends the deliveries of webhooks. Each webhook is the work of one instance at a time, projects take turns, and those whose
 * last attempt has failed have a queue of their own: receivers that do not respond delay nothing but their own deliveries.
 */
export function createDeliverer(context: Context) {
  const { webhooks, clock, log, onlyHolder, timings } = context;
  const queues = { steady: new FairQueue(limits), failing: new FairQueue(limits) };
  const working = new Map<string, { projectId: string; pace: Pace; work: Promise<void> }>();
  const ending = new AbortController();
  const { signal } = ending;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isRung = false;

  const begin = (webhook: WebhookDocument, pace: Pace) => {
    const { _id: webhookId, projectId } = webhook;
    const work = queues[pace]
      .run(projectId, () => sendDue(context, webhook, signal), { signal })
      .then(
        () => {
          working.delete(webhookId);
          // More may be due by now, which nothing has looked for meanwhile.
          wake();
        },
        (error: unknown) => {
          working.delete(webhookId);
          if (!signal.aborted) log.warn({ err: error, webhookId }, "a webhook has to wait");
        },
      );
    working.set(webhookId, { projectId, pace, work });
  };

  /** Begins with everything that is due, within the limit of each project. */
  const look = async (pace: Pace) => {
    for (let found = batchSize; found === batchSize && !signal.aborted; ) {
      const now = new Date(clock.now());
      const begun = [...working.values()].filter((one) => one.pace === pace);
      const full = [...Map.groupBy(begun, ({ projectId }) => projectId)]
        .filter(([, held]) => held.length >= maxHeldPerProject)
        .map(([projectId]) => projectId);
      const except = { ids: [...working.keys()], projectIds: full };
      const due = await webhooks.findDue(now, pace, except, batchSize, onlyHolder);
      // The other look can have found it before its pace changed.
      for (const webhook of due) if (!working.has(webhook._id)) begin(webhook, pace);
      found = due.length;
    }
  };

  const wake = () => {
    isRung = true;
    if (signal.aborted) return;
    looking ??= (async () => {
      while (isRung) {
        isRung = false;
        await Promise.all([look("steady"), look("failing")]).catch((error: unknown) =>
          log.warn({ err: error }, "deliveries of webhooks have to wait"),
        );
      }
    })().finally(() => {
      looking = undefined;
    });
  };

  return {
    /** Deliveries may be due. Never throws. */
    wake,
    start: () => {
      timer = setInterval(wake, timings.pollEveryMs);
      wake();
    },
    /** Attempts under way are abandoned: another instance repeats them. */
    stop: async () => {
      clearInterval(timer);
      ending.abort();
      await looking;
      await Promise.all(Array.from(working.values(), ({ work }) => work));
    },
  };
}
