import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startEmbeddedStore } from "@muster/embedded-store";
import { startNatsServer } from "@muster/events/testing";
import { startProxy } from "@muster/testing";
import { request } from "undici";
import { freePort } from "../free-port.ts";
import { stopProcess } from "../stream/processes.ts";

const entry = fileURLToPath(new URL("../../deploy/local/src/main.mjs", import.meta.url));
const startWithinMs = 60_000;

export interface Instances {
  urls: readonly string[];
  /** The key of all of them. */
  key: string;
  /** From now on, the last one receives no events. */
  cutOff(): void;
  stop(): Promise<void>;
}

/** Processes of Muster that share a store and a NATS server. The last one reaches NATS through a proxy. */
export async function startInstances(count: number): Promise<Instances> {
  const cleanUps: Array<() => void | Promise<void>> = [];
  const scope = { onTestFinished: (cleanUp: () => void | Promise<void>) => void cleanUps.unshift(cleanUp) };
  const stop = async () => {
    for (const cleanUp of cleanUps) await cleanUp();
  };
  try {
    const directory = await mkdtemp(join(tmpdir(), "muster-bench-"));
    scope.onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const store = await startEmbeddedStore({ directory: join(directory, "store") });
    scope.onTestFinished(() => store.stop());
    const nats = await startNatsServer(scope);
    const proxy = await startProxy(scope, nats.port);
    const key = `svc_sk_${randomBytes(24).toString("hex")}`;
    const urls: string[] = [];
    for (let i = 0; i < count; i++) {
      const natsUrl = i === count - 1 ? `nats://127.0.0.1:${proxy.port}` : nats.url;
      const { url, end } = await launch({
        MONGODB_URI: store.uri,
        NATS_URL: natsUrl,
        MUSTER_ADMIN_KEY: key,
        DATA_DIR: join(directory, String(i)),
      });
      scope.onTestFinished(end);
      urls.push(url);
    }
    return { urls, key, cutOff: () => proxy.blackhole(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function launch(settings: Record<string, string>): Promise<{ url: string; end: () => Promise<void> }> {
  const port = await freePort();
  const child = spawn(process.execPath, [entry], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { PATH: process.env.PATH, HOST: "127.0.0.1", PORT: String(port), DRAIN_SECONDS: "0", ...settings },
  });
  const url = `http://127.0.0.1:${port}`;
  const deadlineMs = performance.now() + startWithinMs;
  while (!(await isReady(url))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      await stopProcess(child);
      throw new Error("Muster did not start");
    }
    await sleep(20);
  }
  return { url, end: () => stopProcess(child) };
}

async function isReady(url: string): Promise<boolean> {
  const response = await request(`${url}/readyz`).catch(() => undefined);
  await response?.body.dump();
  return response?.statusCode === 200;
}
