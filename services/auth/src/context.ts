import { randomBytes } from "node:crypto";
import { type Bus, createOutboxRelay } from "@muster/events";
import type { ServiceOverrides } from "@muster/rpc";
import { createIds, systemClock } from "@muster/service";
import type { Db } from "mongodb";
import type { AuthConfig } from "./config.ts";
import { createFederation } from "./federation/federation.ts";
import { createLastUse } from "./last-use.ts";
import { createSecretBox } from "./secrets/secret-box.ts";
import { createIdentityProviderStore } from "./store/identity-providers.ts";
import { createKeyStore } from "./store/keys.ts";
import { createProjectStore } from "./store/project-store.ts";
import { createProviderKeyStore } from "./store/provider-keys.ts";
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
  const providerKeys = createProviderKeyStore(db);
  const identityProviders = createIdentityProviderStore(db);
  return {
    keys,
    projects: createProjectStore(db),
    tokens,
    requestCounts: createRequestCountStore(db),
    providerKeys,
    identityProviders,
    /** Accepts tokens of identity providers. */
    federation: createFederation({ providers: identityProviders, guard: federation, clock, log }),
    /** Encrypts the keys of model providers. */
    secretBox: createSecretBox(secretsKeys, random),
    lastUse: createLastUse(keys, clock, log),
    /** Publish events from the outboxes of keys, tokens, provider keys and identity providers. Wake one after a write that added an event. */
    outbox: createOutboxRelay({ collection: keys.collection, bus, log, clock }),
    tokenOutbox: createOutboxRelay({ collection: tokens.collection, bus, log, clock }),
    providerKeyOutbox: createOutboxRelay({ collection: providerKeys.collection, bus, log, clock }),
    identityProviderOutbox: createOutboxRelay({
      ...{ collection: identityProviders.collection, bus, log, clock },
    }),
    bus,
    clock,
    newId,
    random,
    log,
    metrics,
  };
}
