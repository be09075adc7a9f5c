import type { Logger } from "@muster/service";

/** The callbacks of {@link Bus.onRebuild}; if one throws, the others are still called. */
export function createRebuildCallbacks(log: Logger) {
  const callbacks = new Set<() => void>();
  return {
    add: (callback: () => void) => {
      // Wrapped, so that one function can be registered twice.
      const registered = () => callback();
      callbacks.add(registered);
      return () => {
        callbacks.delete(registered);
      };
    },
    callAll: () => {
      for (const callback of callbacks) {
        try {
          callback();
        } catch (error) {
          log.error({ err: error }, "a rebuild callback failed");
        }
      }
    },
  };
}
