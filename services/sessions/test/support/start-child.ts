import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { SessionsService } from "@muster/proto/sessions";
import { createRpcClient } from "@muster/rpc";
import { createRpcTransport } from "@muster/rpc/grpc";
import type { World } from "./harness.ts";

/** Starts an instance in its own process, so that it can be killed. */
export async function startChild(world: World, leaseMs: number, earlySaveMs = 50) {
  const [principalSecret] = world.principalSecrets;
  assert.ok(principalSecret);
  const child = fork(new URL("child.ts", import.meta.url), {
    env: {
      ...process.env,
      STORE_URI: world.store.uri,
      DATABASE_PREFIX: world.store.databasePrefix,
      AGENTS_ADDRESS: world.agents.address,
      SECRET: principalSecret.reveal(),
      LOCAL_BASE_URL: world.provider.baseUrl,
      LEASE_MS: String(leaseMs),
      EARLY_SAVE_MS: String(earlySaveMs),
    },
  });
  const exited = once(child, "exit");
  const died = exited.then(([code]) => assert.fail(`the child ended with ${code} before it was ready`));
  const [address] = await Promise.race([once(child, "message"), died]);
  const transport = createRpcTransport({ addresses: [String(address)], services: [SessionsService] });
  return {
    client: createRpcClient(SessionsService, transport),
    exited,
    /** Suspends it and wakes it up. */
    signal: (name: "SIGSTOP" | "SIGCONT") => child.kill(name),
    kill: () => {
      child.kill("SIGKILL");
      transport.close();
    },
  };
}
