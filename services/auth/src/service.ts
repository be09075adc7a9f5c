import { randomBytes } from "node:crypto";
import type { HandlerContext } from "@connectrpc/connect";
import { type Bus, createOutboxRelay } from "@muster/events";
import { AuthService as AuthServiceDescriptor } from "@muster/proto/auth";
import { Reason } from "@muster/proto/errors";
import { createPrincipalVerifier, createRpcServer, type Mounted, mountService, rpcError } from "@muster/rpc";
import {
  type Clock,
  createIds,
  type Logger,
  type NewId,
  type Secret,
  type Service,
  stopAll,
  systemClock,
} from "@muster/service";
import { ensureIndexes, isStoreUnavailable, openStore } from "@muster/store";
import { bootstrap } from "./bootstrap.ts";
import type { AuthConfig } from "./config.ts";
import type { AuthContext } from "./context.ts";
import { createLastUse } from "./last-use.ts";
import { authenticate } from "./rpc/authenticate.ts";
import { createApiKey } from "./rpc/create-api-key.ts";
import { createProject } from "./rpc/create-project.ts";
import { deleteApiKey } from "./rpc/delete-api-key.ts";
import type { Handler } from "./rpc/handler.ts";
import { listApiKeys } from "./rpc/list-api-keys.ts";
import { listProjects } from "./rpc/list-projects.ts";
import { createKeyStore, keyIndexes } from "./store/keys.ts";
import { createProjectStore } from "./store/projects.ts";

/** What the service is given by its process or test. */
export interface AuthOverrides {
  bus: Bus;
  log: Logger;
  clock?: Clock;
  newId?: NewId;
  random?: (size: number) => Uint8Array;
}

export interface AuthService extends Service {
  /** For in-process transports. Calls before `start` fail with UNAVAILABLE. */
  readonly mounted: Mounted[];
  /** `host:port` of the gRPC server, once started and when the configuration asks for one. */
  readonly address: string | undefined;
  /** The secret of the bootstrap key, if this start made it up. Show it once. */
  readonly bootstrapKey: Secret | undefined;
}

/** Owns projects and API keys. Nothing is opened before `start`. */
export function createAuthService(config: AuthConfig, overrides: AuthOverrides): AuthService {
  const { log } = overrides;
  let running: Running | undefined;
  const mounted = [
    mountService(
      AuthServiceDescriptor,
      implementation(() => running?.context),
    ),
  ];
  return {
    mounted,
    get address() {
      return running?.address;
    },
    get bootstrapKey() {
      return running?.bootstrapKey;
    },
    start: async () => {
      running ??= await open(config, overrides, mounted);
      log.info({ address: running.address }, "auth is ready");
    },
    // Calls that still run need everything, so nothing is taken from them before they have ended.
    stop: async () => {
      const ending = running;
      await ending?.close();
      if (running === ending) running = undefined;
    },
  };
}

interface Running {
  context: AuthContext;
  address: string | undefined;
  bootstrapKey: Secret | undefined;
  close(): Promise<void>;
}

async function open(config: AuthConfig, overrides: AuthOverrides, mounted: Mounted[]): Promise<Running> {
  const { bus, log, clock = systemClock, newId = createIds(), random = randomBytes } = overrides;
  const database = `${config.store.databasePrefix}_auth`;
  const store = await openStore({ uri: config.store.uri, database, log });
  const closers: Array<() => Promise<unknown>> = [() => store.close()];
  try {
    await ensureIndexes(store.db, [keyIndexes]);
    const keys = createKeyStore(store.db);
    const lastUse = createLastUse(keys, clock, log);
    closers.unshift(() => lastUse.settle());
    const ending = new AbortController();
    const relay = createOutboxRelay({ collection: keys.collection, bus, log, clock, signal: ending.signal });
    closers.unshift(async () => {
      ending.abort();
      await relay.stop();
    });
    const projects = createProjectStore(store.db);
    const context: AuthContext = {
      keys,
      projects,
      lastUse,
      wakeOutbox: () => relay.wake(),
      clock,
      newId,
      random,
      log,
    };
    await relay.start();
    const server = await listen(config, overrides, mounted);
    if (server) closers.unshift(() => server.stop());
    // Last: a start that failed after it had made up the key would have lost it.
    const bootstrapKey = await bootstrap(context, config.adminKey);
    let closing: Promise<void> | undefined;
    const close = () => {
      closing ??= stopAll(closers);
      return closing;
    };
    return { context, address: server?.address, bootstrapKey, close };
  } catch (error) {
    await stopAll(closers);
    throw error;
  }
}

async function listen(config: AuthConfig, overrides: AuthOverrides, mounted: Mounted[]) {
  if (!config.listen) return undefined;
  const { log, clock = systemClock } = overrides;
  const verifier = createPrincipalVerifier(config.principalSecret, clock);
  const server = createRpcServer({ services: mounted, verifier, log, ...config.listen });
  const { address } = await server.start();
  return { address, stop: () => server.stop() };
}

function implementation(context: () => AuthContext | undefined) {
  const bind =
    <Request, Response>(handler: Handler<Request, Response>) =>
    async (request: Request, call: HandlerContext): Promise<Response> => {
      const ready = context();
      if (!ready) throw unavailable("The auth service is not running.");
      try {
        return await handler(ready, request, call);
      } catch (error) {
        throw isStoreUnavailable(error) ? unavailable("The document store does not answer.", error) : error;
      }
    };
  return {
    authenticate: bind(authenticate),
    createApiKey: bind(createApiKey),
    listApiKeys: bind(listApiKeys),
    deleteApiKey: bind(deleteApiKey),
    createProject: bind(createProject),
    listProjects: bind(listProjects),
  };
}

function unavailable(message: string, cause?: unknown) {
  return rpcError(Reason.UNAVAILABLE, message, { retryAfterMs: 1_000, cause });
}
