import { busDependency } from "@muster/events";
import { createServiceHost, type ServiceHost, serviceDependency } from "@muster/rpc";
import type { RecorderConfig } from "./config.ts";
import { createContext, type RecorderContext, type RecorderOverrides } from "./context.ts";
import { createRecorder } from "./recorder.ts";
import { startSweep } from "./upkeep/sweep.ts";

export type RecorderService = ServiceHost;

/** Renders the recordings of workforce agents' runs. It serves nothing but its health. Opens no connection before `start`. */
export function createRecorderService(config: RecorderConfig, overrides: RecorderOverrides): RecorderService {
  return createServiceHost<RecorderContext>({
    name: "recorder",
    config,
    overrides,
    mount: () => [],
    open: async (defer) => {
      const context = createContext(config, overrides);
      const recorder = createRecorder(context);
      const unmeasured = context.metrics?.gauge("muster_storage_full", { storage: "recordings" }, async () =>
        Number(await context.disk.isFull()),
      );
      if (unmeasured) defer(async () => unmeasured());
      defer(startSweep(context));
      // Also after a start that failed.
      defer(() => recorder.drain());
      await recorder.start();
      return {
        context,
        dependencies: [serviceDependency("workforce", overrides.workforce), busDependency(overrides.bus)],
        drain: () => recorder.drain(),
      };
    },
  });
}
