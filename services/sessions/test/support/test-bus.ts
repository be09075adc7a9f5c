import { type Bus, createInProcessBus, type EventMap } from "@muster/events";
import { silentLogger } from "@muster/service";

export interface TestBus extends Bus {
  /** Drops published events while set: events may only make things faster. */
  isDeaf: boolean;
  /** All published events, dropped or not. */
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
