import { type MeasuredQueue, type Metrics, measureQueue } from "@muster/metrics";
import type { Clock } from "@muster/service";
import type { RecordingStore } from "./recordings/recording-store.ts";
import type { AgentStore } from "./store/agent-store.ts";
import type { ThreadStore } from "./store/thread-store.ts";

/* Changes of the stores are counted where they are written. Without metrics the stores stay unchanged. */

/** Counts the threads whose work has ended. */
export function measureThreads(threads: ThreadStore, metrics: Metrics | undefined): ThreadStore {
  if (metrics === undefined) return threads;
  return {
    ...threads,
    move: async (key, move) => {
      const moved = await threads.move(key, move);
      if (moved !== null && isEnd(move.to)) metrics.count("muster_runs_total", { outcome: move.to });
      return moved;
    },
  };
}

function isEnd<Status>(to: Status): to is Status & ("completed" | "failed" | "blocked" | "cancelled") {
  return to === "completed" || to === "failed" || to === "blocked" || to === "cancelled";
}

/** Counts the runs taken from processes that have died. One that stops hands its runs over, as if leases had run out in 1970. */
export function measureAgents(agents: AgentStore, metrics: Metrics | undefined): AgentStore {
  if (metrics === undefined) return agents;
  return {
    ...agents,
    takeOver: async (key, seen, ...rest) => {
      const taken = await agents.takeOver(key, seen, ...rest);
      const wasAbandoned = (seen.lease?.until.getTime() ?? 0) > 0;
      if (taken !== null && wasAbandoned) metrics.count("muster_lease_takeovers_total", { kind: "run" });
      return taken;
    },
  };
}

/** Counts the recordings that have ended, and those taken from recorders that have died. */
export function measureRecordings(recordings: RecordingStore, metrics: Metrics | undefined): RecordingStore {
  if (metrics === undefined) return recordings;
  return {
    ...recordings,
    move: async (key, move) => {
      const moved = await recordings.move(key, move);
      const { to } = move;
      if (moved !== null && (to === "ready" || to === "failed" || to === "deleted"))
        metrics.count("muster_recordings_total", { outcome: to });
      return moved;
    },
    claim: async (...order) => {
      const claimed = await recordings.claim(...order);
      if (claimed?.isTakeOver) metrics.count("muster_lease_takeovers_total", { kind: "recording" });
      return claimed;
    },
  };
}

interface Queues {
  agents: Pick<AgentStore, "countWaiting">;
  recordings: Pick<RecordingStore, "countClaimable">;
  computers: { readonly commands: MeasuredQueue };
  clock: Clock;
  metrics: Metrics | undefined;
}

/** Reports what waits for a process. Returns a function that ends it. */
export function measureQueues({ agents, recordings, computers, clock, metrics }: Queues): () => void {
  if (metrics === undefined) return () => {};
  const ends = [
    measureQueue(metrics, { queue: "commands" }, computers.commands),
    metrics.gauge("muster_queue_depth", { queue: "run_slots" }, () => agents.countWaiting()),
    metrics.gauge("muster_queue_depth", { queue: "recordings" }, () =>
      recordings.countClaimable(new Date(clock.now())),
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
}
