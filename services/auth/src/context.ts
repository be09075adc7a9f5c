import { randomBytes } from "node:crypto";
import { type Bus, createOutboxRelay, type OutboxCollection, publishTo } from "@muster/events";
import { createAuditOutbox, createAuditor } from "@muster/events/audit";
import type { ServiceOverrides } from "@muster/rpc";
import { createIds, createSecretBox, systemClock } from "@muster/service";
import type { Db } from "mongodb";
import type { AuthConfig } from "./config.ts";
import { createFederation } from "./federation/federation.ts";
import { createLastUse } from "./last-use.ts";
import { createIdentityProviderStore } from "./store/identity-providers.ts";
import { createKeyStore } from "./store/keys.ts";
import { createMcpServerStore } from "./store/mcp-servers.ts";
import { createProjectSecretStore, providerKeyKind, toolSecretKind } from "./store/project-secrets.ts";
import { createProjectStore } from "./store/project-store.ts";
import { createRequestCountStore } from "./store/request-counts.ts";
import { createTokenStore } from "./store/tokens.ts";

export interface AuthOverrides extends ServiceOverrides {
  bus: Bus;
  random?: (size: number) => Uint8Array;
}

/** Everything that the RPCs need. */
export type AuthContext = ReturnType<typeof createContext>;

export function createContext(
  { secretsKeys = [], federation = {} }: Pick<AuthConfig, "secretsKeys" | "federation">,
  { bus, log, clock = systemClock, newId = createIds(), random = randomBytes, metrics }: AuthOverrides,
  db: Db,
) {
  const keys = createKeyStore(db);
  const tokens = createTokenStore(db);
  const providerKeys = createProjectSecretStore(db, providerKeyKind);
  const toolSecrets = createProjectSecretStore(db, toolSecretKind);
  const identityProviders = createIdentityProviderStore(db);
  const mcpServers = createMcpServerStore(db);
  const projects = createProjectStore(db);
  const audited = [keys, projects, tokens, providerKeys, toolSecrets, identityProviders, mcpServers];
  const relay = ({ collection }: { collection: OutboxCollection }) =>
    createOutboxRelay({ collection, publish: publishTo(bus, log), log, clock });
  return {
    keys,
    projects,
    tokens,
    requestCounts: createRequestCountStore(db),
    providerKeys,
    toolSecrets,
    identityProviders,
    mcpServers,
    /** Accepts tokens of identity providers. */
    federation: createFederation({ providers: identityProviders, guard: federation, clock, log }),
    /** Encrypts the keys of model providers, the secrets of tool hosts and those of MCP servers. */
    secretBox: createSecretBox(secretsKeys, random),
    lastUse: createLastUse({ keys, tokens }, clock, log),
    /** Publish events from the outboxes of collections. Wake one after a write that added an event. */
    outboxes: {
      keys: relay(keys),
      tokens: relay(tokens),
      provider_keys: relay(providerKeys),
      identity_providers: relay(identityProviders),
      tool_secrets: relay(toolSecrets),
      mcp_servers: relay(mcpServers),
    },
    /** Makes the entries of changes for the audit log, which the documents carry until it has them. */
    auditEntry: createAuditor({ newId, clock }),
    auditOutbox: createAuditOutbox(audited.map(({ collection }) => collection)),
    bus,
    clock,
    newId,
    random,
    log,
    metrics,
  };
}
