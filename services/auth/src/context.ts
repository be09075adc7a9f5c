import { randomBytes } from "node:crypto";
import { type Bus, createOutboxRelay, type OutboxRelay } from "@muster/events";
import type { ServiceContext, ServiceOverrides } from "@muster/rpc";
import { createIds, systemClock } from "@muster/service";
import type { Db } from "mongodb";
import { createLastUse, type LastUse } from "./last-use.ts";
import { createKeyStore, type KeyStore } from "./store/keys.ts";
import { createProjectStore, type ProjectStore } from "./store/projects.ts";
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
  lastUse: LastUse;
  /** Publish events from the outboxes of keys and tokens. Wake one after a write that added an event. */
  outbox: OutboxRelay;
  tokenOutbox: OutboxRelay;
  random: (size: number) => Uint8Array;
}

export function createContext(
  { bus, log, clock = systemClock, newId = createIds(), random = randomBytes }: AuthOverrides,
  db: Db,
): AuthContext {
  const keys = createKeyStore(db);
  const tokens = createTokenStore(db);
  return {
    keys,
    projects: createProjectStore(db),
    tokens,
    requestCounts: createRequestCountStore(db),
    lastUse: createLastUse(keys, clock, log),
    outbox: createOutboxRelay({ collection: keys.collection, bus, log, clock }),
    tokenOutbox: createOutboxRelay({ collection: tokens.collection, bus, log, clock }),
    clock,
    newId,
    random,
    log,
  };
}
