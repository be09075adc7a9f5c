import { busDependency } from "@muster/events";
import { WorkforceService as WorkforceServiceDescriptor } from "@muster/proto/workforce";
import { createServiceHost, type Defer, mountPartial, type Opened, type ServiceHost } from "@muster/rpc";
import { openDatabase } from "@muster/store";
import type { WorkforceConfig } from "./config.ts";
import { createContext, type WorkforceContext, type WorkforceOverrides } from "./context.ts";
import { agentIndexes } from "./store/agent-store.ts";
import { runIndexes } from "./store/run-store.ts";
import { threadIndexes } from "./store/thread-store.ts";

export type WorkforceService = ServiceHost;

/** Owns workforce agents, their threads and their runs. Opens no connection before `start`. */
export function createWorkforceService(
  config: WorkforceConfig,
  overrides: WorkforceOverrides,
): WorkforceService {
  return createServiceHost<WorkforceContext>({
    name: "workforce",
    config,
    overrides,
    mount: () => mountPartial(WorkforceServiceDescriptor, {}),
    open: (defer) => open(config, overrides, defer),
  });
}

async function open(
  config: WorkforceConfig,
  overrides: WorkforceOverrides,
  defer: Defer,
): Promise<Opened<WorkforceContext>> {
  const { log } = overrides;
  const indexes = [agentIndexes, threadIndexes, runIndexes];
  const database = { store: config.store, service: "workforce", indexes, log };
  const { db, dependency: store } = await openDatabase(database, defer);
  const context = createContext(config, overrides, db);
  await context.wakeUps.start();
  defer(() => context.wakeUps.stop());
  return { context, dependencies: [store, busDependency(overrides.bus)] };
}
