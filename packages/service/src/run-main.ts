import type { Environment } from "./env.ts";
import { runProcess, type Service } from "./lifecycle.ts";
import { createLogger, type Logger } from "./log.ts";
import { readLogLevel } from "./process-settings.ts";
import { readSettings } from "./read-settings.ts";
import { startProblem } from "./start-problem.ts";

export interface MainContext<Config> {
  config: Config;
  log: Logger;
  /** Handles a fatal error: logs it, then ends the process so that its supervisor restarts it. */
  onFatal(error: Error): void;
}

/**
 * The body of a service's `main.ts`: reads its settings, builds the service, runs it until SIGINT or SIGTERM. A failed start
 * reports its reason in one sentence on standard error, each wrong setting in a line of its own, and exits with 1.
 */
export async function runMain<Config>(
  name: string,
  readConfig: (env: Environment) => Config,
  create: (context: MainContext<Config>) => Promise<Service & { stopWithinMs?: number }>,
): Promise<void> {
  try {
    const { level, config } = readSettings(process.env, (env) => ({
      level: readLogLevel(env, "info"),
      config: readConfig(env),
    }));
    const log = createLogger({ name, level });
    const onFatal = (error: Error) => {
      log.fatal({ err: error }, "cannot continue");
      process.exit(1);
    };
    const service = await create({ config, log, onFatal });
    await runProcess(service, log, service.stopWithinMs);
  } catch (error) {
    process.stderr.write(startProblem(name, error));
    process.exit(1);
  }
}
