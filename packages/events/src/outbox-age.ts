import { type Clock, timeOfId } from "@muster/service";
import type { OutboxDocument } from "./outbox-relay.ts";

/** The query of the driver's collection that finds the oldest event. */
interface OldestEvents {
  find(
    filter: { "outbox.id": { $exists: true } },
    options: { projection: { outbox: 1 }; sort: { "outbox.id": 1 }; limit: 1 },
  ): { toArray(): Promise<OutboxDocument[]> };
}

/**
 * How long the oldest event of an outbox has waited to be published, in seconds; 0 if none waits. One read of the index that
 * the relay creates: the ids of events begin with the time at which they were written.
 */
export async function outboxAgeS(collection: OldestEvents, clock: Clock): Promise<number> {
  const options = { projection: { outbox: 1 }, sort: { "outbox.id": 1 }, limit: 1 } as const;
  const [document] = await collection.find({ "outbox.id": { $exists: true } }, options).toArray();
  const times = document?.outbox.map(({ id }) => timeOfId(id) ?? clock.now()) ?? [];
  return times.length === 0 ? 0 : Math.max(0, clock.now() - Math.min(...times)) / 1e3;
}
