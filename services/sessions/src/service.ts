import type { HandlerContext } from "@connectrpc/connect";
import { SessionsService as SessionsServiceDescriptor, type TriggerRequest } from "@muster/proto/sessions";
import { createPrincipalVerifier, createRpcServer, type Mounted, mountService } from "@muster/rpc";
import { type Service, stopAll, systemClock } from "@muster/service";
import { ensureIndexes, openStore } from "@muster/store";
import { followAbortEvents } from "./abort-events.ts";
import { defaultTimings, type SessionsConfig } from "./config.ts";
import { createContext, type SessionsContext, type SessionsOverrides } from "./context.ts";
import { drain } from "./driver/drain.ts";
import { createExpirySweep } from "./expiry-sweep.ts";
import { cancelExecution } from "./rpc/cancel-execution.ts";
import { clearSession } from "./rpc/clear-session.ts";
import { createSession } from "./rpc/create-session.ts";
import { getSession } from "./rpc/get-session.ts";
import type { Handler } from "./rpc/handler.ts";
import { restoreSession } from "./rpc/restore-session.ts";
import { trigger } from "./rpc/trigger.ts";
import { answerFor, unavailable } from "./rpc/unavailable.ts";
import { sessionIndexes } from "./store/session-store.ts";

export interface SessionsService extends Service {
  /** For in-process transports. Calls before `start` fail with UNAVAILABLE. */
  readonly mounted: Mounted[];
  /** `host:port` of the gRPC server, once started and when the configuration asks for one. */
  readonly address: string | undefined;
}

/** Owns conversations and runs them. Nothing is opened before `start`. */
export function createSessionsService(config: SessionsConfig, overrides: SessionsOverrides): SessionsService {
  const { log } = overrides;
  let running: Running | undefined;
  const mounted = [
    mountService(
      SessionsServiceDescriptor,
      implementation(() => running?.context),
    ),
  ];
  return {
    mounted,
    get address() {
      return running?.address;
    },
    start: async () => {
      running ??= await open(config, overrides, mounted);
      log.info({ address: running.address }, "sessions is ready");
    },
    stop: async () => {
      const ending = running;
      await ending?.close();
      if (running === ending) running = undefined;
    },
  };
}

interface Running {
  context: SessionsContext;
  address: string | undefined;
  close(): Promise<void>;
}

async function open(
  config: SessionsConfig,
  overrides: SessionsOverrides,
  mounted: Mounted[],
): Promise<Running> {
  const { log } = overrides;
  const database = `${config.store.databasePrefix}_sessions`;
  const opened = await openStore({ uri: config.store.uri, database, log });
  const closers: Array<() => Promise<unknown>> = [() => opened.close()];
  try {
    await ensureIndexes(opened.db, [sessionIndexes]);
    const draining = new AbortController();
    const context = createContext(config, overrides, opened.db, draining.signal);
    const sweep = createExpirySweep(context);
    sweep.start();
    closers.unshift(() => sweep.stop());
    closers.unshift(await followAbortEvents(context));
    const server = await listen(config, overrides, mounted);
    closers.unshift(async () => {
      draining.abort();
      await Promise.all([server?.stop(), drain(context)]);
    });
    return { context, address: server?.address, close: once(() => stopAll(closers)) };
  } catch (error) {
    await stopAll(closers);
    throw error;
  }
}

async function listen(config: SessionsConfig, overrides: SessionsOverrides, mounted: Mounted[]) {
  if (!config.listen) return undefined;
  const { log, clock = systemClock } = overrides;
  const verifier = createPrincipalVerifier(config.principalSecret, clock);
  // Executions end first, so that their streams end with an event and not with a broken connection.
  const drainMs = (config.timings?.drainMs ?? defaultTimings.drainMs) + 1_000;
  const server = createRpcServer({ services: mounted, verifier, log, drainMs, ...config.listen });
  const { address } = await server.start();
  return { address, stop: () => server.stop() };
}

function implementation(context: () => SessionsContext | undefined) {
  const ready = () => context() ?? throwing(unavailable("The sessions service is not running."));
  const bind =
    <Request, Response>(handler: Handler<Request, Response>) =>
    async (request: Request, call: HandlerContext): Promise<Response> => {
      try {
        return await handler(ready(), request, call);
      } catch (error) {
        throw answerFor(error);
      }
    };
  return {
    createSession: bind(createSession),
    getSession: bind(getSession),
    restoreSession: bind(restoreSession),
    clearSession: bind(clearSession),
    cancelExecution: bind(cancelExecution),
    trigger: (request: TriggerRequest, call: HandlerContext) => trigger(ready(), request, call),
  };
}

function throwing(error: unknown): never {
  throw error;
}

function once(work: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
