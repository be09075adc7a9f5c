import type { TopologyDescriptionChangedEvent } from "mongodb";

/** The part of a MongoClient that is watched. */
interface TopologyEvents {
  on(
    name: "topologyDescriptionChanged",
    listener: (event: Pick<TopologyDescriptionChangedEvent, "newDescription">) => void,
  ): unknown;
}

export interface OutageWatch {
  /** True while no server has accepted writes for longer than the tolerated time. */
  isDown(): boolean;
}

interface OutageWatchOptions {
  /** Shorter outages, such as a restart, are waited out by the operations themselves. */
  toleratedMs: number;
  /** A monotonic time in milliseconds. */
  now?: () => number;
}

/** Knows from the driver's monitor whether an operation would wait in vain, so that calls need not try. */
export function createOutageWatch(
  client: TopologyEvents,
  { toleratedMs, now = () => performance.now() }: OutageWatchOptions,
): OutageWatch {
  let downSinceMs: number | undefined;
  client.on("topologyDescriptionChanged", ({ newDescription }) => {
    const isUp = [...newDescription.servers.values()].some(({ isWritable }) => isWritable);
    downSinceMs = isUp ? undefined : (downSinceMs ?? now());
  });
  return { isDown: () => downSinceMs !== undefined && now() - downSinceMs >= toleratedMs };
}
