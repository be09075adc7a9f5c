import type { LabelsOf } from "./definitions.ts";
import type { Metrics } from "./metrics.ts";

/** The part of a queue that is measured; FairQueue has it. */
export interface MeasuredQueue {
  readonly waiting: number;
  /** How long the first one has been waiting. */
  readonly oldestMs: number;
}

/** Reports how many wait in a queue of this process, and for how long the first one has. Returns a function that ends it. */
export function measureQueue(
  metrics: Metrics | undefined,
  { queue }: LabelsOf<"muster_queue_age_seconds">,
  measured: MeasuredQueue,
): () => void {
  if (metrics === undefined) return () => {};
  const ends = [
    metrics.gauge("muster_queue_depth", { queue }, () => measured.waiting),
    metrics.gauge("muster_queue_age_seconds", { queue }, () => measured.oldestMs / 1_000),
  ];
  return () => {
    for (const end of ends) end();
  };
}
