import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../free-port.ts";
import { stopProcess } from "../stream/processes.ts";

const entry = fileURLToPath(new URL("../../deploy/local/src/main.mjs", import.meta.url));
const monitor = new URL("heap-monitor.ts", import.meta.url).href;
const startWithinMs = 60_000;

export interface Usage {
  heapBytes: number;
  cpuMs: number;
}

/** Muster as `npm start` runs it, without the limit on wrong credentials. */
export interface Server {
  url: string;
  key: string;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

export async function startServer(): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), "muster-auth-"));
  const key = `svc_sk_${randomBytes(24).toString("hex")}`;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ["--expose-gc", "--import", monitor, entry], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      PATH: process.env.PATH,
      HOST: "127.0.0.1",
      PORT: String(port),
      DATA_DIR: directory,
      MUSTER_ADMIN_KEY: key,
      AUTH_FAILURES_PER_MINUTE: "0",
      LOG_LEVEL: "error",
    },
  });
  const usage = async (): Promise<Usage> => {
    const reply = once(child, "message");
    child.send("report");
    const [message]: unknown[] = await reply;
    return { heapBytes: numberOf(message, "heapBytes"), cpuMs: numberOf(message, "cpuMs") };
  };
  const stop = async (): Promise<void> => {
    await stopProcess(child);
    await rm(directory, { recursive: true, force: true });
  };
  const startMs = performance.now();
  while (!(await isUp(url))) {
    if (child.exitCode !== null || performance.now() - startMs > startWithinMs) {
      await stop();
      throw new Error("Muster did not start");
    }
    await sleep(20);
  }
  return { url, key, usage, stop };
}

async function isUp(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.status === 200;
}

function numberOf(message: unknown, name: string): number {
  const value: unknown = typeof message === "object" && message !== null && Reflect.get(message, name);
  if (typeof value !== "number") throw new Error(`The monitor sent no ${name}`);
  return value;
}
