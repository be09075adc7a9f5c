import { outboxAgeS } from "@muster/events";
import { type MeasuredQueue, type Metrics, measureQueue } from "@muster/metrics";
import type { Clock } from "@muster/service";
import type { RecordingStore } from "./recordings/recording-store.ts";
import type { AgentStore } from "./store/agent-store.ts";
import type { HookDeliveryStore } from "./store/hook-delivery-store.ts";
import type { ScheduleStore } from "./store/schedule-store.ts";
import type { ThreadStore } from "./store/thread-store.ts";
import type { WebhookStore } from "./store/webhook-store.ts";

interface Queues {
  agents: Pick<AgentStore, "countWaiting">;
  recordings: Pick<RecordingStore, "countClaimable" | "collection">;
  threads: Pick<ThreadStore, "collection">;
  webhooks: Pick<WebhookStore, "countDue">;
  hookDeliveries: Pick<HookDeliveryStore, "countDue">;
  schedules: Pick<ScheduleStore, "countDue" | "collection">;
  computers: { readonly commands: MeasuredQueue; readonly machines: { readonly connected: number } };
  clock: Clock;
  metrics: Metrics | undefined;
}

/** Reports what waits for a process, and the computers that are connected to it. Returns a function that ends it. */
export function measureQueues({
  agents,
  recordings,
  threads,
  webhooks,
  hookDeliveries,
  schedules,
  computers,
  clock,
  metrics,
}: Queues): () => void {
  if (metrics === undefined) return () => {};
  const ends = [
    measureQueue(metrics, { queue: "commands" }, computers.commands),
    metrics.gauge("muster_computers_connected", {}, () => computers.machines.connected),
    metrics.gauge("muster_queue_depth", { queue: "run_slots" }, () => agents.countWaiting()),
    metrics.gauge("muster_queue_depth", { queue: "recordings" }, () =>
      recordings.countClaimable(new Date(clock.now())),
    ),
    metrics.gauge("muster_queue_depth", { queue: "webhooks" }, () =>
      webhooks.countDue(new Date(clock.now())),
    ),
    metrics.gauge("muster_queue_depth", { queue: "hooks" }, () =>
      hookDeliveries.countDue(new Date(clock.now())),
    ),
    metrics.gauge("muster_queue_depth", { queue: "schedules" }, () =>
      schedules.countDue(new Date(clock.now())),
    ),
    metrics.gauge("muster_outbox_age_seconds", { outbox: "schedules" }, () =>
      outboxAgeS(schedules.collection, clock),
    ),
    metrics.gauge("muster_outbox_age_seconds", { outbox: "threads" }, () =>
      outboxAgeS(threads.collection, clock),
    ),
    metrics.gauge("muster_outbox_age_seconds", { outbox: "recordings" }, () =>
      outboxAgeS(recordings.collection, clock),
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
}
