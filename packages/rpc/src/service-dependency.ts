import type { Transport } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@muster/proto/health";
import { type Dependency, type DependencyStatus, NotReadyError } from "@muster/service";
import { createRpcClient } from "./client.ts";
import { storageName } from "./health.ts";

/**
 * The dependencies of services, and the consequences of lacking them; {@link serviceDependency} asks a service that is
 * not ready about each. The compiler is a thread of the agents service.
 */
const partStatuses = { store: "unreachable", events: "unreachable", compiler: "not_ready" } as const;
const timeoutMs = 1_000;

/** Another service as something to depend on: it is asked for its health over the transport that carries its calls. */
export function serviceDependency(name: string, transport: Transport): Dependency {
  const health = createRpcClient(Health, transport);
  const statusOf = async (service: string) => (await health.check({ service }, { timeoutMs })).status;
  const partIfFailing = async (
    part: [string, DependencyStatus],
  ): Promise<Array<[string, DependencyStatus]>> => {
    const status = await statusOf(part[0]).catch(() => undefined);
    return status === Status.NOT_SERVING ? [part] : [];
  };
  return {
    name,
    isStorageFull: async () => {
      // Unknown to a service of an earlier version.
      const status = await statusOf(storageName).catch(() => undefined);
      return status === Status.NOT_SERVING;
    },
    check: async () => {
      if ((await statusOf("")) === Status.SERVING) return;
      const parts = await Promise.all(Object.entries(partStatuses).map(partIfFailing));
      throw new NotReadyError(Object.fromEntries(parts.flat()));
    },
  };
}
