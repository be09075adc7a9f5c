import { createOutboxRelay, type Notice, type Subscription } from "@muster/events";
import type { WorkforceContext } from "../context.ts";
import { judgeThread } from "../schedules/judge-thread.ts";
import type { RecordingDocument } from "../store/recording-document.ts";
import type { ScheduleDocument } from "../store/schedule-document.ts";
import type { ThreadDocument } from "../store/thread-document.ts";
import { createDeliverer } from "./deliverer.ts";
import { type Changed, publishNotice } from "./publish-notice.ts";
import { type NoticedInSessions, sessionNotices } from "./session-notices.ts";

const concurrency = 16;

/** Takes events from the outboxes of threads, schedules, recordings, approvals and sessions, and delivers them to webhooks. */
export function createWebhooks(context: WorkforceContext) {
  const { threads, recordings, schedules, notices, bus, clock, log, timings } = context;
  const deliverer = createDeliverer(context);
  const common = { counts: true, concurrency, clock, log, sweepEveryMs: timings.sweepEveryMs } as const;

  const publishFor =
    <Found>(changedOf: (found: Found) => Changed) =>
    async (notice: Notice, found: Found, number: number): Promise<boolean> => {
      await publishNotice(context, changedOf(found), notice, number);
      deliverer.wake();
      return true;
    };
  const publishOfThread = publishFor<ThreadDocument>(
    ({ projectId, agentId, _id: threadId, callbackUrl }) => ({
      ...{ projectId, agentId, ids: { threadId }, callbackUrl },
    }),
  );
  const relays = [
    createOutboxRelay<ThreadDocument>({
      ...{ ...common, collection: threads.collection },
      fields: ["projectId", "agentId", "callbackUrl", "origin", "idem", "failureReason"],
      publish: async (notice, thread, number) => {
        await judgeThread(context, thread, notice);
        return publishOfThread(notice, thread, number);
      },
    }),
    createOutboxRelay<ScheduleDocument>({
      ...{ ...common, collection: schedules.collection, fields: ["projectId", "agentId"] },
      publish: publishFor(({ projectId, agentId, _id: scheduleId }) => ({
        ...{ projectId, agentId, ids: { scheduleId } },
      })),
    }),
    createOutboxRelay<RecordingDocument>({
      ...{ ...common, collection: recordings.collection, fields: ["projectId", "agentId", "threadId"] },
      publish: publishFor(({ projectId, agentId, threadId, _id: recordingId }) => ({
        ...{ projectId, agentId, ids: { threadId, recordingId } },
      })),
    }),
  ];
  const fromSessions = createOutboxRelay<NoticedInSessions>({
    ...{ ...common, collection: sessionNotices(context) },
    publish: publishFor((found) => found),
  });
  const all = [...relays, fromSessions];
  notices.onNotice(() => {
    for (const relay of relays) relay.wake();
  });
  let subscription: Subscription | undefined;
  return {
    start: async () => {
      for (const relay of all) await relay.start();
      const shared = { consumer: "workforce" } as const;
      subscription = await bus.subscribe("sessions.noticed", shared, async () => fromSessions.wake());
      deliverer.start();
    },
    stop: async () => {
      await subscription?.close();
      await Promise.all(all.map((relay) => relay.stop()));
      await deliverer.stop();
    },
  };
}
