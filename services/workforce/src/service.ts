import { WorkforceService as WorkforceServiceDescriptor } from "@muster/proto/workforce";
import { createServiceHost, listenIfAsked, mountPartial, type ServiceHost } from "@muster/rpc";
import type { Clock, Logger } from "@muster/service";
import type { WorkforceConfig } from "./config.ts";

export interface WorkforceOverrides {
  log: Logger;
  clock?: Clock;
}

export type WorkforceService = ServiceHost;

/** Serves the contract of workforce agents. No method has an implementation yet: each answers UNIMPLEMENTED. */
export function createWorkforceService(
  config: WorkforceConfig,
  overrides: WorkforceOverrides,
): WorkforceService {
  return createServiceHost<undefined>({
    name: "workforce",
    log: overrides.log,
    mount: () => mountPartial(WorkforceServiceDescriptor, {}),
    open: async (mounted) => {
      const server = await listenIfAsked(config, mounted, overrides);
      return { context: undefined, address: server?.address, close: async () => server?.stop() };
    },
  });
}
