import type { LoadedStore } from "@muster/embedded-store";
import { openMetrics, withMetrics } from "@muster/metrics";
import { createLogger, readSettings, runProcess, standardOutput, startProblem } from "@muster/service";
import { banner } from "./banner.ts";
import { readLocalConfig } from "./config.ts";
import { endWithNpm, isStartedByNpm } from "./end-with-npm.ts";
import { createLocal, type Local, stopWithinMs } from "./local.ts";

/** Runs Muster until a signal stops it. `store` may be loaded already. */
export async function run(store?: LoadedStore): Promise<void> {
  endWithNpm();
  const output = standardOutput("muster");
  let local: Local | undefined;
  try {
    const config = readSettings(process.env, readLocalConfig);
    const log = createLogger({ name: "muster", level: config.logLevel });
    const opened = await openMetrics(config.metrics, { process: "local", log });
    const muster = createLocal(config, log, endBecause, { store, metrics: opened?.metrics });
    local = muster;
    await runProcess(
      withMetrics(opened, {
        start: async () => {
          await muster.start();
          output.print(
            banner({
              url: muster.url,
              isInRepository: isStartedByNpm(),
              adminKey: muster.bootstrapKey?.reveal(),
              presetKey: config.adminKey !== undefined,
              data: config.mongodbUri ? "MongoDB (MONGODB_URI)" : config.dataDirectory,
              providers: muster.models.configuredProviders(),
            }),
          );
        },
        warmUp: () => muster.warmUp?.(),
        stop: () => muster.stop(),
      }),
      log,
      stopWithinMs(config),
    );
  } catch (error) {
    process.stderr.write(startProblem("Muster", error));
    // The store contains only the key's hash, so the key cannot be shown again.
    const key = local?.bootstrapKey?.reveal();
    if (key) output.print(`The admin key had already been generated; keep it: ${key}`);
    process.exit(1);
  }
}

/** Without its store or bus the process cannot work: its supervisor should restart it. */
function endBecause(error: Error): void {
  console.error(`Muster cannot continue: ${error.message}`);
  process.exit(1);
}
