import type { Bus } from "@muster/events";
import { busDependency } from "@muster/events";
import {
  createReadiness,
  type Dependency,
  type Logger,
  type Readiness,
  type StorageWatch,
} from "@muster/service";

/**
 * Creates the check behind `/readyz`: every service behind the gateway is ready, and so is the bus. Results are shared
 * for a second, so that flooding the public endpoint does not reach the services. A change is logged once.
 */
export function createReadinessCheck(
  services: readonly Dependency[],
  bus: Pick<Bus, "ping">,
  log: Logger,
  filesDisk: Pick<StorageWatch, "isFull"> | undefined,
): () => Promise<Readiness> {
  // The services bound their own checks to a second; asking about details takes a further call.
  const check = createReadiness({
    dependencies: [...services, busDependency(bus)],
    storages: filesDisk === undefined ? [] : [filesDisk],
    checkTimeoutMs: 1_500,
  });
  let wasReady = true;
  return async () => {
    const readiness = await check();
    if (readiness.isReady !== wasReady) {
      wasReady = readiness.isReady;
      if (wasReady) log.info("ready again");
      else log.warn({ dependencies: readiness.dependencies }, "not ready");
    }
    return readiness;
  };
}
