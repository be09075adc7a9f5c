import type { Transport } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@muster/proto/health";
import { type Dependency, type DependencyStatus, NotReadyError } from "@muster/service";
import { createRpcClient } from "./client.ts";

/** The dependencies that services have; {@link serviceDependency} asks a service that is not ready about each. */
const partNames = ["store", "events"];
const timeoutMs = 1_000;

/** Another service as something to depend on: it is asked for its health over the transport that carries its calls. */
export function serviceDependency(name: string, transport: Transport): Dependency {
  const health = createRpcClient(Health, transport);
  const statusOf = async (service: string) => (await health.check({ service }, { timeoutMs })).status;
  const statusOfPart = async (part: string): Promise<Array<[string, DependencyStatus]>> => {
    const status = await statusOf(part).catch(() => undefined);
    return status === Status.NOT_SERVING ? [[part, "unreachable"]] : [];
  };
  return {
    name,
    check: async () => {
      if ((await statusOf("")) === Status.SERVING) return;
      const parts = await Promise.all(partNames.map(statusOfPart));
      throw new NotReadyError(Object.fromEntries(parts.flat()));
    },
  };
}
