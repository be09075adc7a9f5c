import { createOutboxRelay } from "@muster/events";
import type { WorkforceContext } from "../context.ts";
import type { Notice } from "../store/notices.ts";
import type { RecordingDocument } from "../store/recording-document.ts";
import type { ThreadDocument } from "../store/thread-document.ts";
import { createDeliverer } from "./deliverer.ts";
import { type Changed, publishNotice } from "./publish-notice.ts";

const concurrency = 16;

/** Takes events from the outboxes of threads and recordings, and delivers them to webhooks. */
export function createWebhooks(context: WorkforceContext) {
  const { threads, recordings, notices, clock, log, timings } = context;
  const deliverer = createDeliverer(context);
  const common = { counts: true, concurrency, clock, log, sweepEveryMs: timings.pollEveryMs } as const;

  const publishFor =
    <Found extends ThreadDocument | RecordingDocument>(changedOf: (found: Found) => Changed) =>
    async (notice: Notice, found: Found, number: number): Promise<boolean> => {
      await publishNotice(context, changedOf(found), notice, number);
      deliverer.wake();
      return true;
    };
  const relays = [
    createOutboxRelay<ThreadDocument>({
      ...{ ...common, collection: threads.collection, fields: ["projectId", "agentId", "callbackUrl"] },
      publish: publishFor(({ projectId, agentId, _id: threadId, callbackUrl }) => ({
        ...{ projectId, agentId, ids: { threadId }, callbackUrl },
      })),
    }),
    createOutboxRelay<RecordingDocument>({
      ...{ ...common, collection: recordings.collection, fields: ["projectId", "agentId", "threadId"] },
      publish: publishFor(({ projectId, agentId, threadId, _id: recordingId }) => ({
        ...{ projectId, agentId, ids: { threadId, recordingId } },
      })),
    }),
  ];
  notices.onNotice(() => {
    for (const relay of relays) relay.wake();
  });
  return {
    start: async () => {
      for (const relay of relays) await relay.start();
      deliverer.start();
    },
    stop: async () => {
      await Promise.all(relays.map((relay) => relay.stop()));
      await deliverer.stop();
    },
  };
}
