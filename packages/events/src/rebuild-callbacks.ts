import type { Logger } from "@muster/service";

/** The callbacks of {@link Bus.onRebuild}; one that throws does not keep the others from being called. */
export function createRebuildCallbacks(log: Logger) {
  const callbacks = new Set<() => void>();
  return {
    add: (callback: () => void) => {
      // Wrapped, so that registering the same function twice makes two registrations.
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
