import { randomBytes } from "node:crypto";
import { type Bus, createOutboxRelay, type OutboxRelay } from "@muster/events";
import type { ServiceContext, ServiceOverrides } from "@muster/rpc";
import { createIds, systemClock } from "@muster/service";
import type { Db } from "mongodb";
import type { AuthConfig } from "./config.ts";
import { createFederation, type Federation } from "./federation/federation.ts";
import { createLastUse, type LastUse } from "./last-use.ts";
import { createSecretBox, type SecretBox } from "./secrets/secret-box.ts";
import { createIdentityProviderStore, type IdentityProviderStore } from "./store/identity-providers.ts";
import { createKeyStore, type KeyStore } from "./store/keys.ts";
import { createProjectStore, type ProjectStore } from "./store/project-store.ts";
import { createProviderKeyStore, type ProviderKeyStore } from "./store/provider-keys.ts";
import { createRequestCountStore, type RequestCountStore } from "./store/request-counts.ts";
import { createTokenStore, type TokenStore } from "./store/tokens.ts";

export interface AuthOverrides extends ServiceOverrides {
  bus: Bus;
  random?: (size: number) => Uint8Array;
}

/** Everything that the RPCs need. */
export interface AuthContext extends ServiceContext {
  keys: KeyStore;
  projects: ProjectStore;
  tokens: TokenStore;
  requestCounts: RequestCountStore;
  providerKeys: ProviderKeyStore;
  /** Encrypts the keys of model providers. */
  secretBox: SecretBox;
  identityProviders: IdentityProviderStore;
  /** Accepts tokens of identity providers. */
  federation: Federation;
  lastUse: LastUse;
  /** Publish events from the outboxes of keys, tokens, provider keys and identity providers. Wake one after a write that added an event. */
  outbox: OutboxRelay;
  tokenOutbox: OutboxRelay;
  providerKeyOutbox: OutboxRelay;
  identityProviderOutbox: OutboxRelay;
  random: (size: number) => Uint8Array;
}

export function createContext(
  { secretsKeys = [], federation = {} }: Pick<AuthConfig, "secretsKeys" | "federation">,
  { bus, log, clock = systemClock, newId = createIds(), random = randomBytes, metrics }: AuthOverrides,
  db: Db,
): AuthContext {
  const keys = createKeyStore(db);
  const tokens = createTokenStore(db);
  const providerKeys = createProviderKeyStore(db);
  const identityProviders = createIdentityProviderStore(db);
  return {
    keys,
    projects: createProjectStore(db),
    tokens,
    requestCounts: createRequestCountStore(db),
    providerKeys,
    identityProviders,
    federation: createFederation({ providers: identityProviders, guard: federation, clock, log }),
    secretBox: createSecretBox(secretsKeys, random),
    lastUse: createLastUse(keys, clock, log),
    outbox: createOutboxRelay({ collection: keys.collection, bus, log, clock }),
    tokenOutbox: createOutboxRelay({ collection: tokens.collection, bus, log, clock }),
    providerKeyOutbox: createOutboxRelay({ collection: providerKeys.collection, bus, log, clock }),
    identityProviderOutbox: createOutboxRelay({
      ...{ collection: identityProviders.collection, bus, log, clock },
    }),
    clock,
    newId,
    random,
    log,
    metrics,
  };
}
