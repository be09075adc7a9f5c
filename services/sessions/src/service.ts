import type { HandlerContext } from "@connectrpc/connect";
import {
  type ExecuteWorkerRequest,
  SessionsService as SessionsServiceDescriptor,
  type TriggerRequest,
} from "@muster/proto/sessions";
import {
  bindTo,
  createServiceHost,
  listenIfAsked,
  type Mounted,
  mountService,
  type Running,
  type ServiceHost,
} from "@muster/rpc";
import { stopAll } from "@muster/service";
import { ensureIndexes, isStoreUnavailable, openStore } from "@muster/store";
import { followAbortEvents } from "./abort/follow-abort-events.ts";
import { defaultTimings, type SessionsConfig } from "./config.ts";
import { createContext, type SessionsContext, type SessionsOverrides } from "./context.ts";
import { drain } from "./driver/drain.ts";
import { createExpirySweep } from "./expiry-sweep.ts";
import { cancelExecution } from "./rpc/cancel-execution.ts";
import { checkProviders } from "./rpc/check-providers.ts";
import { clearSession } from "./rpc/clear-session.ts";
import { createSession } from "./rpc/create-session.ts";
import { executeWorker } from "./rpc/execute-worker.ts";
import { getSession } from "./rpc/get-session.ts";
import { restoreSession } from "./rpc/restore-session.ts";
import { trigger } from "./rpc/trigger.ts";
import { sessionIndexes } from "./store/session-store.ts";
import { workerIndexes } from "./store/worker-store.ts";

export type SessionsService = ServiceHost;

/** Owns conversations and runs them. Opens no connection before `start`. */
export function createSessionsService(config: SessionsConfig, overrides: SessionsOverrides): SessionsService {
  return createServiceHost<SessionsContext>({
    name: "sessions",
    log: overrides.log,
    mount: (context) => mountService(SessionsServiceDescriptor, implementation(context)),
    open: (mounted) => open(config, overrides, mounted),
  });
}

async function open(
  config: SessionsConfig,
  overrides: SessionsOverrides,
  mounted: Mounted[],
): Promise<Running<SessionsContext>> {
  const { log } = overrides;
  const database = `${config.store.databasePrefix}_sessions`;
  const opened = await openStore({ uri: config.store.uri, database, log });
  const closers: Array<() => Promise<unknown>> = [() => opened.close()];
  try {
    await ensureIndexes(opened.db, [sessionIndexes, workerIndexes]);
    const draining = new AbortController();
    const context = createContext(config, overrides, opened.db, draining.signal);
    const sweep = createExpirySweep(context);
    sweep.start();
    closers.unshift(() => sweep.stop());
    closers.unshift(await followAbortEvents(context));
    // Executions end first, so that their streams end with an event instead of a broken connection.
    const drainMs = (config.timings?.drainMs ?? defaultTimings.drainMs) + 1_000;
    const server = await listenIfAsked(config, mounted, { ...overrides, drainMs });
    closers.unshift(async () => {
      draining.abort();
      await Promise.all([server?.stop(), drain(context)]);
    });
    return { context, address: server?.address, close: () => stopAll(closers) };
  } catch (error) {
    await stopAll(closers);
    throw error;
  }
}

function implementation(context: () => SessionsContext) {
  const bind = bindTo(context, isStoreUnavailable);
  return {
    createSession: bind(createSession),
    getSession: bind(getSession),
    restoreSession: bind(restoreSession),
    clearSession: bind(clearSession),
    cancelExecution: bind(cancelExecution),
    checkProviders: bind(checkProviders),
    trigger: (request: TriggerRequest, call: HandlerContext) => trigger(context(), request, call),
    executeWorker: (request: ExecuteWorkerRequest, call: HandlerContext) =>
      executeWorker(context(), request, call),
  };
}
