import { WorkforceService as WorkforceServiceDescriptor } from "@muster/proto/workforce";
import { createServiceHost, mountPartial, type ServiceHost, type ServiceOverrides } from "@muster/rpc";
import type { WorkforceConfig } from "./config.ts";

export type WorkforceOverrides = ServiceOverrides;

export type WorkforceService = ServiceHost;

/** Serves the contract of workforce agents. No method is implemented yet: each fails with UNIMPLEMENTED. */
export function createWorkforceService(
  config: WorkforceConfig,
  overrides: WorkforceOverrides,
): WorkforceService {
  return createServiceHost<undefined>({
    name: "workforce",
    config,
    overrides,
    mount: () => mountPartial(WorkforceServiceDescriptor, {}),
    open: async () => ({ context: undefined }),
  });
}
