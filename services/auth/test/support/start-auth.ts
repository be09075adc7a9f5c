import { type Bus, createInProcessBus } from "@muster/events";
import { AuthService as AuthServiceDescriptor } from "@muster/proto/auth";
import {
  type CallPrincipal,
  callOptions,
  createInProcessTransport,
  createPrincipalSigner,
  createPrincipalVerifier,
  createRpcClient,
  type Mounted,
  permissions,
} from "@muster/rpc";
import { type Logger, ManualClock, readSecretsKeys, Secret, silentLogger } from "@muster/service";
import { openTestStore, type TestStore } from "@muster/store/testing";
import type { TestContext } from "vitest";
import type { AuthConfig } from "../../src/config.ts";
import { createAuthService } from "../../src/service.ts";

const principalSecrets = [new Secret("0123456789abcdef0123456789abcdef")];

/** Shared by all instances of the service under test: one store, one bus, one clock. */
export interface World {
  store: TestStore;
  bus: Bus;
  clock: ManualClock;
}

export async function createWorld(t: TestContext): Promise<World> {
  const clock = new ManualClock();
  const bus = createInProcessBus({ log: silentLogger });
  t.onTestFinished(() => bus.close());
  return { store: await openTestStore(t), bus, clock };
}

/** Starts one instance and returns a client for it. */
export async function startAuth(
  t: TestContext,
  world: World,
  adminKey?: string,
  {
    secretsKey,
    privateOrigins = [],
    log = silentLogger,
  }: { secretsKey?: string; privateOrigins?: readonly string[]; log?: Logger } = {},
) {
  const config: AuthConfig = {
    store: { uri: world.store.uri, databasePrefix: world.store.databasePrefix },
    principalSecrets,
    ...(adminKey === undefined ? {} : { adminKey: new Secret(adminKey) }),
    secretsKeys: readSecretsKeys(secretsKey === undefined ? {} : { MUSTER_SECRETS_KEY: secretsKey }),
    federation: { privateOrigins },
  };
  const { bus, clock } = world;
  const service = createAuthService(config, { bus, clock, log });
  await service.start();
  t.onTestFinished(() => service.stop());
  return { service, client: createRpcClient(AuthServiceDescriptor, inProcess(world, service.mounted)) };
}

/** Calls handlers as the service's own clients do. */
export function inProcess({ clock }: World, mounted: readonly Mounted[]) {
  const verifier = createPrincipalVerifier(principalSecrets, clock);
  return createInProcessTransport(mounted, { verifier, log: silentLogger });
}

/** Call options for a caller. By default it has every permission in `default`. */
export function as(world: World, principal: Partial<CallPrincipal> = {}) {
  const signer = createPrincipalSigner(principalSecrets, world.clock);
  const full: CallPrincipal = {
    projectId: "default",
    keyId: "key_bootstrap",
    permissions: new Set(permissions),
    anyProject: true,
    ...principal,
  };
  return callOptions({ principal: signer.sign(full), requestId: "req_test" });
}
