import { runProcess, type Service } from "./lifecycle.ts";
import { createLogger, type Logger } from "./log.ts";
import { readLogLevel } from "./process-settings.ts";
import { startProblem } from "./start-problem.ts";

export interface MainContext {
  log: Logger;
  /** Handles a fatal error: logs it, then ends the process so that its supervisor restarts it. */
  onFatal(error: Error): void;
}

/**
 * The body of a service's `main.ts`: builds the service, runs it until SIGINT or SIGTERM. A failed start reports
 * its reason in one sentence on standard error and exits with 1.
 */
export async function runMain(
  name: string,
  create: (context: MainContext) => Promise<Service & { stopWithinMs?: number }>,
): Promise<void> {
  try {
    const log = createLogger({ name, level: readLogLevel(process.env, "info") });
    const onFatal = (error: Error) => {
      log.fatal({ err: error }, "cannot continue");
      process.exit(1);
    };
    const service = await create({ log, onFatal });
    await runProcess(service, log, service.stopWithinMs);
  } catch (error) {
    process.stderr.write(startProblem(name, error));
    process.exit(1);
  }
}
