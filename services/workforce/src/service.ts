import { WorkforceService as WorkforceServiceDescriptor } from "@muster/proto/workforce";
import {
  createPrincipalVerifier,
  createRpcServer,
  type Mounted,
  mountService,
  type RpcServer,
} from "@muster/rpc";
import { type Clock, type Logger, type Service, systemClock } from "@muster/service";
import type { WorkforceConfig } from "./config.ts";

export interface WorkforceOverrides {
  log: Logger;
  clock?: Clock;
}

export interface WorkforceService extends Service {
  /** For in-process transports. */
  readonly mounted: Mounted[];
  /** `host:port` of the gRPC server, once started and when the configuration asks for one. */
  readonly address: string | undefined;
}

/** Serves the contract of workforce agents. No method has an implementation yet: each answers UNIMPLEMENTED. */
export function createWorkforceService(
  config: WorkforceConfig,
  overrides: WorkforceOverrides,
): WorkforceService {
  const mounted = [mountService(WorkforceServiceDescriptor, {})];
  let server: RpcServer | undefined;
  let address: string | undefined;
  return {
    mounted,
    get address() {
      return address;
    },
    start: async () => {
      if (!config.listen || server) return;
      const verifier = createPrincipalVerifier(config.principalSecret, overrides.clock ?? systemClock);
      server = createRpcServer({ services: mounted, verifier, log: overrides.log, ...config.listen });
      address = (await server.start()).address;
      overrides.log.info({ address }, "workforce is ready");
    },
    stop: async () => {
      await server?.stop();
      server = undefined;
    },
  };
}
