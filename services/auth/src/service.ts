import { randomBytes } from "node:crypto";
import { type Bus, createOutboxRelay } from "@muster/events";
import { AuthService as AuthServiceDescriptor } from "@muster/proto/auth";
import {
  bindTo,
  createServiceHost,
  listenIfAsked,
  type Mounted,
  mountService,
  type Running,
  type ServiceHost,
} from "@muster/rpc";
import {
  type Clock,
  createIds,
  type Logger,
  type NewId,
  type Secret,
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

export interface AuthService extends ServiceHost {
  /** The secret of the bootstrap key, if this start made it up. Show it once. */
  readonly bootstrapKey: Secret | undefined;
}

interface RunningAuth extends Running<AuthContext> {
  bootstrapKey: Secret | undefined;
}

/** Owns projects and API keys. Nothing is opened before `start`. */
export function createAuthService(config: AuthConfig, overrides: AuthOverrides): AuthService {
  let bootstrapKey: Secret | undefined;
  const host = createServiceHost<AuthContext>({
    name: "auth",
    log: overrides.log,
    mount: (context) => mountService(AuthServiceDescriptor, implementation(context)),
    open: async (mounted) => {
      const opened = await open(config, overrides, mounted);
      bootstrapKey = opened.bootstrapKey;
      return opened;
    },
  });
  return {
    mounted: host.mounted,
    start: host.start,
    stop: host.stop,
    get address() {
      return host.address;
    },
    get bootstrapKey() {
      return bootstrapKey;
    },
  };
}

async function open(config: AuthConfig, overrides: AuthOverrides, mounted: Mounted[]): Promise<RunningAuth> {
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
    const server = await listenIfAsked(config, mounted, overrides);
    if (server) closers.unshift(() => server.stop());
    // Last: a start that failed after it had made up the key would have lost it.
    const bootstrapKey = await bootstrap(context, config.adminKey);
    return { context, address: server?.address, bootstrapKey, close: () => stopAll(closers) };
  } catch (error) {
    await stopAll(closers);
    throw error;
  }
}

function implementation(context: () => AuthContext) {
  const bind = bindTo(context, isStoreUnavailable);
  return {
    authenticate: bind(authenticate),
    createApiKey: bind(createApiKey),
    listApiKeys: bind(listApiKeys),
    deleteApiKey: bind(deleteApiKey),
    createProject: bind(createProject),
    listProjects: bind(listProjects),
  };
}
