import { busDependency } from "@muster/events";
import { AuthService as AuthServiceDescriptor } from "@muster/proto/auth";
import {
  bindTo,
  createServiceHost,
  type Defer,
  mountService,
  type Opened,
  type ServiceHost,
} from "@muster/rpc";
import type { Secret } from "@muster/service";
import { openDatabase, storeOutageOf } from "@muster/store";
import { bootstrap } from "./bootstrap.ts";
import type { AuthConfig } from "./config.ts";
import { type AuthContext, type AuthOverrides, createContext } from "./context.ts";
import { loadJose } from "./federation/load-jose.ts";
import { measureOutboxes } from "./measure-outboxes.ts";
import { authenticate } from "./rpc/authenticate.ts";
import { countRequests } from "./rpc/count-requests.ts";
import { createApiKey } from "./rpc/create-api-key.ts";
import { createIdentityProvider } from "./rpc/create-identity-provider.ts";
import { createProject } from "./rpc/create-project.ts";
import { deleteApiKey } from "./rpc/delete-api-key.ts";
import { deleteIdentityProvider } from "./rpc/delete-identity-provider.ts";
import { deleteProviderKey } from "./rpc/delete-provider-key.ts";
import { getIdentityProvider } from "./rpc/get-identity-provider.ts";
import { getProjectLimits } from "./rpc/get-project-limits.ts";
import { listApiKeys } from "./rpc/list-api-keys.ts";
import { listIdentityProviders } from "./rpc/list-identity-providers.ts";
import { listProjects } from "./rpc/list-projects.ts";
import { listProviderKeys } from "./rpc/list-provider-keys.ts";
import { mintToken } from "./rpc/mint-token.ts";
import { resolveProviderKeys } from "./rpc/resolve-provider-keys.ts";
import { revokeToken } from "./rpc/revoke-token.ts";
import { setProviderKey } from "./rpc/set-provider-key.ts";
import { updateIdentityProvider } from "./rpc/update-identity-provider.ts";
import { updateProject } from "./rpc/update-project.ts";
import { identityProviderIndexes } from "./store/identity-providers.ts";
import { keyIndexes } from "./store/keys.ts";
import { providerKeyIndexes } from "./store/provider-keys.ts";
import { requestCountIndexes } from "./store/request-counts.ts";
import { tokenIndexes } from "./store/tokens.ts";

export interface AuthService extends ServiceHost {
  /** The secret of the bootstrap key if this start generated it. Show it once. */
  readonly bootstrapKey: Secret | undefined;
}

/** Owns projects with their providers' keys, API keys, ephemeral tokens and identity providers. Nothing is opened before `start`. */
export function createAuthService(config: AuthConfig, overrides: AuthOverrides): AuthService {
  let bootstrapKey: Secret | undefined;
  const host = createServiceHost<AuthContext>({
    name: "auth",
    config,
    overrides,
    mount: (context) => mountService(AuthServiceDescriptor, implementation(context)),
    open: async (defer) => {
      const opened = await open(config, overrides, defer);
      const { context } = opened;
      // The last step, because a start that failed after it would lose the key.
      const finish = async () => {
        bootstrapKey = await bootstrap(context, config.adminKey);
      };
      return { ...opened, finish };
    },
  });
  return {
    mounted: host.mounted,
    start: host.start,
    warmUp: () => host.warmUp?.(),
    stop: host.stop,
    get address() {
      return host.address;
    },
    get bootstrapKey() {
      return bootstrapKey;
    },
  };
}

async function open(
  config: AuthConfig,
  overrides: AuthOverrides,
  defer: Defer,
): Promise<Opened<AuthContext>> {
  const { bus, log, metrics } = overrides;
  const indexes = [
    keyIndexes,
    tokenIndexes,
    requestCountIndexes,
    providerKeyIndexes,
    identityProviderIndexes,
  ];
  const database = { store: config.store, service: "auth", indexes, log, metrics };
  const { db, dependency: store } = await openDatabase(database, defer);
  const context = createContext(config, overrides, db);
  defer(() => context.lastUse.settle());
  defer(() => context.federation.stop());
  const { outbox, tokenOutbox, providerKeyOutbox, identityProviderOutbox } = context;
  for (const relay of [outbox, tokenOutbox, providerKeyOutbox, identityProviderOutbox]) {
    defer(() => relay.stop());
    await relay.start();
  }
  const unmeasure = measureOutboxes(context);
  defer(async () => unmeasure());
  return {
    context,
    dependencies: [store, busDependency(bus)],
    warmUp: async () => void (await loadJose()),
  };
}

function implementation(context: () => AuthContext) {
  const bind = bindTo(context, storeOutageOf);
  return {
    authenticate: bind(authenticate),
    createApiKey: bind(createApiKey),
    listApiKeys: bind(listApiKeys),
    deleteApiKey: bind(deleteApiKey),
    mintToken: bind(mintToken),
    revokeToken: bind(revokeToken),
    createProject: bind(createProject),
    listProjects: bind(listProjects),
    updateProject: bind(updateProject),
    getProjectLimits: bind(getProjectLimits),
    setProviderKey: bind(setProviderKey),
    listProviderKeys: bind(listProviderKeys),
    deleteProviderKey: bind(deleteProviderKey),
    resolveProviderKeys: bind(resolveProviderKeys),
    createIdentityProvider: bind(createIdentityProvider),
    listIdentityProviders: bind(listIdentityProviders),
    getIdentityProvider: bind(getIdentityProvider),
    updateIdentityProvider: bind(updateIdentityProvider),
    deleteIdentityProvider: bind(deleteIdentityProvider),
    countRequests: bind(countRequests),
  };
}
