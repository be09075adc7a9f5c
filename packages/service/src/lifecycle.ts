import type { Logger } from "./log.ts";

/** A service as its process sees it: it starts, and stops once. */
export interface Service {
  start(): Promise<void>;
  /** Prepares what the first calls of some kinds would otherwise wait for. Called a moment after a start, or not at all. */
  warmUp?(): void;
  /**
   * Stops accepting work, waits until running work ends or closes resumably, frees all resources. Safe to call twice.
   */
  stop(): Promise<void>;
}

/** Runs every step in order even if one fails; throws the failures at the end. */
export async function stopAll(steps: ReadonlyArray<() => Promise<unknown> | undefined>): Promise<void> {
  const problems: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      problems.push(error);
    }
  }
  if (problems.length > 0) throw new AggregateError(problems, "Not everything stopped cleanly");
}

/** The first request often waits for the start already, and has priority. */
const warmUpAfterMs = 1_000;

/** Runs a service as a process: starts it, waits for SIGINT or SIGTERM, stops it, exits within the deadline. */
export async function runProcess(service: Service, log: Logger, stopWithinMs = 20_000): Promise<void> {
  await service.start();
  const warmingUp = setTimeout(() => service.warmUp?.(), warmUpAfterMs);
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  clearTimeout(warmingUp);
  log.info({ signal }, "stopping");
  const deadline = setTimeout(() => {
    log.error({ stopWithinMs }, "did not stop in time");
    process.exit(1);
  }, stopWithinMs);
  try {
    await service.stop();
    process.exitCode = 0;
  } catch (error) {
    log.error({ err: error }, "stopped with errors");
    process.exitCode = 1;
  }
  clearTimeout(deadline);
}
