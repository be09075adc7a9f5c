import { busDependency } from "@muster/events";
import { mountAuditOutbox } from "@muster/events/audit";
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
import { createLogin } from "./rpc/create-login.ts";
import { createMcpServer } from "./rpc/create-mcp-server.ts";
import { createProject } from "./rpc/create-project.ts";
import { deleteApiKey } from "./rpc/delete-api-key.ts";
import { deleteIdentityProvider } from "./rpc/delete-identity-provider.ts";
import { deleteLogin } from "./rpc/delete-login.ts";
import { deleteMcpServer } from "./rpc/delete-mcp-server.ts";
import { deleteProviderKey } from "./rpc/delete-provider-key.ts";
import { deleteToolSecret } from "./rpc/delete-tool-secret.ts";
import { getIdentityProvider } from "./rpc/get-identity-provider.ts";
import { getMcpServer } from "./rpc/get-mcp-server.ts";
import { getProjectLimits } from "./rpc/get-project-limits.ts";
import { listApiKeys } from "./rpc/list-api-keys.ts";
import { listIdentityProviders } from "./rpc/list-identity-providers.ts";
import { listMcpServerSlugs } from "./rpc/list-mcp-server-slugs.ts";
import { listMcpServers } from "./rpc/list-mcp-servers.ts";
import { listProjects } from "./rpc/list-projects.ts";
import { listProviderKeys } from "./rpc/list-provider-keys.ts";
import { listToolSecrets } from "./rpc/list-tool-secrets.ts";
import { mintToken } from "./rpc/mint-token.ts";
import { resolveProviderKeys } from "./rpc/resolve-provider-keys.ts";
import { revokeToken } from "./rpc/revoke-token.ts";
import { setProviderKey } from "./rpc/set-provider-key.ts";
import { setToolSecret } from "./rpc/set-tool-secret.ts";
import { updateApiKey } from "./rpc/update-api-key.ts";
import { updateIdentityProvider } from "./rpc/update-identity-provider.ts";
import { updateMcpServer } from "./rpc/update-mcp-server.ts";
import { updateProject } from "./rpc/update-project.ts";
import { identityProviderIndexes } from "./store/identity-providers.ts";
import { keyIndexes } from "./store/keys.ts";
import { mcpServerIndexes } from "./store/mcp-servers.ts";
import { projectSecretIndexes, providerKeyKind, toolSecretKind } from "./store/project-secrets.ts";
import { projectIndexes } from "./store/project-store.ts";
import { requestCountIndexes } from "./store/request-counts.ts";
import { tokenIndexes } from "./store/tokens.ts";

export interface AuthService extends ServiceHost {
  /** The secret of the bootstrap key if this start generated it. Show it once. */
  readonly bootstrapKey: Secret | undefined;
}

/**
 * Owns projects with their providers' keys and tool secrets, API keys, ephemeral tokens, logins, identity providers and MCP
 * servers.
 * Nothing is opened before `start`.
 */
export function createAuthService(config: AuthConfig, overrides: AuthOverrides): AuthService {
  let bootstrapKey: Secret | undefined;
  const host = createServiceHost<AuthContext>({
    name: "auth",
    config,
    overrides,
    mount: (context) => [
      mountService(AuthServiceDescriptor, implementation(context)),
      mountAuditOutbox(() => context().auditOutbox, storeOutageOf),
    ],
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
    projectIndexes,
    projectSecretIndexes(providerKeyKind),
    projectSecretIndexes(toolSecretKind),
    identityProviderIndexes,
    mcpServerIndexes,
  ];
  const database = { store: config.store, service: "auth", indexes, log, metrics };
  const { db, dependency: store } = await openDatabase(database, defer);
  const context = createContext(config, overrides, db);
  defer(() => context.lastUse.settle());
  defer(() => context.federation.stop());
  for (const relay of Object.values(context.outboxes)) {
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
    updateApiKey: bind(updateApiKey),
    deleteApiKey: bind(deleteApiKey),
    mintToken: bind(mintToken),
    revokeToken: bind(revokeToken),
    createLogin: bind(createLogin),
    deleteLogin: bind(deleteLogin),
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
    createMcpServer: bind(createMcpServer),
    listMcpServers: bind(listMcpServers),
    getMcpServer: bind(getMcpServer),
    listMcpServerSlugs: bind(listMcpServerSlugs),
    updateMcpServer: bind(updateMcpServer),
    deleteMcpServer: bind(deleteMcpServer),
    setToolSecret: bind(setToolSecret),
    listToolSecrets: bind(listToolSecrets),
    deleteToolSecret: bind(deleteToolSecret),
    countRequests: bind(countRequests),
  };
}
