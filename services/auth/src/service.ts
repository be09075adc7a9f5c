import { AuthService as AuthServiceDescriptor } from "@muster/proto/auth";
import { bindTo, createServiceHost, type Defer, mountService, type ServiceHost } from "@muster/rpc";
import type { Secret } from "@muster/service";
import { isStoreUnavailable, openDatabase } from "@muster/store";
import { bootstrap } from "./bootstrap.ts";
import type { AuthConfig } from "./config.ts";
import { type AuthContext, type AuthOverrides, createContext } from "./context.ts";
import { authenticate } from "./rpc/authenticate.ts";
import { createApiKey } from "./rpc/create-api-key.ts";
import { createProject } from "./rpc/create-project.ts";
import { deleteApiKey } from "./rpc/delete-api-key.ts";
import { listApiKeys } from "./rpc/list-api-keys.ts";
import { listProjects } from "./rpc/list-projects.ts";
import { keyIndexes } from "./store/keys.ts";

export interface AuthService extends ServiceHost {
  /** The secret of the bootstrap key if this start generated it. Show it once. */
  readonly bootstrapKey: Secret | undefined;
}

/** Owns projects and API keys. Nothing is opened before `start`. */
export function createAuthService(config: AuthConfig, overrides: AuthOverrides): AuthService {
  let bootstrapKey: Secret | undefined;
  const host = createServiceHost<AuthContext>({
    name: "auth",
    config,
    overrides,
    mount: (context) => mountService(AuthServiceDescriptor, implementation(context)),
    open: async (defer) => {
      const context = await open(config, overrides, defer);
      // The last step, because a start that failed after it would lose the key.
      const finish = async () => {
        bootstrapKey = await bootstrap(context, config.adminKey);
      };
      return { context, finish };
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

async function open({ store }: AuthConfig, overrides: AuthOverrides, defer: Defer): Promise<AuthContext> {
  const { log } = overrides;
  const db = await openDatabase({ store, service: "auth", indexes: [keyIndexes], log }, defer);
  const context = createContext(overrides, db);
  defer(() => context.lastUse.settle());
  defer(() => context.outbox.stop());
  await context.outbox.start();
  return context;
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
