import { type Bus, createInProcessBus, type EventMap } from "@muster/events";
import { silentLogger } from "@muster/service";

export interface TestBus extends Bus {
  /** Loses what is published while it is set: an event may only ever make things faster. */
  isDeaf: boolean;
  /** What was published, lost or not. */
  readonly published: Array<EventMap[keyof EventMap]>;
}

export function createTestBus(): TestBus {
  const bus = createInProcessBus({ log: silentLogger });
  const test: TestBus = {
    ...bus,
    isDeaf: false,
    published: [],
    publish: async (subject, event, options) => {
      test.published.push(event);
      if (!test.isDeaf) await bus.publish(subject, event, options);
    },
  };
  return test;
}
