import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedStore } from "@muster/embedded-store";
import { startNatsServer } from "@muster/events/testing";
import { freePort } from "../free-port.ts";
import { startProgram } from "./program.ts";

const ready = /"address":"([^"]+)".* is ready/;

/** Muster as services in processes of their own. */
export interface Cluster {
  url: string;
  key: string;
  /** Starts another process of the workforce service. At most two can run. */
  addWorkforce(): Promise<void>;
  /** `kill -9` for the one that has run the longest. */
  killOldest(): Promise<void>;
  stop(): Promise<void>;
}

/** With one process of the workforce service, which therefore drives every run. */
export async function startCluster(modelUrl: string): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), "muster-cluster-"));
  const cleanUps: Array<() => unknown> = [
    () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  ];
  const scope = { onTestFinished: (cleanUp: () => unknown) => void cleanUps.unshift(cleanUp) };
  const stop = async () => {
    for (const cleanUp of cleanUps.splice(0)) await cleanUp();
  };
  try {
    const store = await startEmbeddedStore({ directory: join(directory, "store") });
    scope.onTestFinished(() => store.stop());
    const nats = await startNatsServer(scope);
    const common = {
      MONGODB_URI: store.uri,
      NATS_URL: nats.url,
      MUSTER_PRINCIPAL_SECRET: randomBytes(32).toString("base64url"),
      LOCAL_BASE_URL: modelUrl,
      MODEL_FIRST_PART_TIMEOUT_MS: "3600000",
    };
    const service = (
      program: "auth" | "agents" | "sessions" | "workforce",
      port: number,
      env: object = {},
    ) => {
      const name = program.toUpperCase();
      const listen = { [`${name}_HOST`]: "127.0.0.1", [`${name}_PORT`]: String(port) };
      return startProgram(scope, program, { ...common, ...listen, ...env });
    };
    const auth = service("auth", 0);
    const agents = service("agents", 0);
    const key = await auth.printed(/Bootstrap API key \(shown once\): (\S+)/);
    const behind = {
      AUTH_ADDRESSES: await auth.printed(ready),
      AGENTS_ADDRESSES: await agents.printed(ready),
    };
    const SESSIONS_ADDRESSES = await service("sessions", 0, behind).printed(ready);
    const ports = [await freePort(), await freePort()] as const;
    const running: Array<{ port: number; kill(): Promise<void> }> = [];
    const addWorkforce = async () => {
      const port = ports.find((each) => running.every((one) => one.port !== each));
      if (port === undefined) throw new Error("Two processes of the workforce service run already");
      const env = { ...behind, SESSIONS_ADDRESSES, DATA_DIR: join(directory, "data") };
      const { kill, printed } = service("workforce", port, env);
      running.push({ port, kill });
      await printed(ready);
    };
    await addWorkforce();
    const WORKFORCE_ADDRESSES = ports.map((port) => `127.0.0.1:${port}`).join(",");
    const edge = { ...behind, SESSIONS_ADDRESSES, WORKFORCE_ADDRESSES, HOST: "127.0.0.1", PORT: "0" };
    const gateway = startProgram(scope, "gateway", { ...common, ...edge });
    return {
      url: await gateway.printed(/"url":"([^"]+)".* is ready/),
      key,
      addWorkforce,
      killOldest: async () => await running.shift()?.kill(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
