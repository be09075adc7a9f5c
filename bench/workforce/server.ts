import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../free-port.ts";
import { pidOf, stopProcess } from "../stream/processes.ts";

const entry = fileURLToPath(new URL("../../deploy/local/src/main.mjs", import.meta.url));
const monitor = new URL("monitor.ts", import.meta.url).href;
const startWithinMs = 120_000;

export interface Cpu {
  /** Of all threads, the embedded store's among them. */
  cpuMs: number;
  /** Of the main thread, which serves all requests. */
  mainMs: number;
}

/** Muster as `npm start` runs it, with a database of its own. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  cpu(): Promise<Cpu>;
  /** Ends the process without any warning. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Where a server keeps its data, and how it is configured. Servers can be started there one after another. */
export interface Home {
  directory: string;
  key: string;
  start(): Promise<Server>;
  remove(): Promise<void>;
}

export async function createHome(
  modelUrl: string,
  profile?: string,
  settings: Record<string, string> = {},
): Promise<Home> {
  const directory = await mkdtemp(join(tmpdir(), "muster-workforce-"));
  const key = `svc_sk_${randomBytes(24).toString("hex")}`;
  const env = { DATA_DIR: directory, MUSTER_ADMIN_KEY: key, LOCAL_BASE_URL: modelUrl, ...settings };
  return {
    directory,
    key,
    start: () => start(env, profile),
    remove: () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}

async function start(env: Record<string, string>, profile: string | undefined): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  const child = spawn(process.execPath, [...profiling, "--import", monitor, entry], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      ...{ PATH: process.env.PATH, HOST: "127.0.0.1", PORT: String(port), LOG_LEVEL: "error" },
      // The model is held for as long as a figure takes.
      ...{ MODEL_FIRST_PART_TIMEOUT_MS: "3600000", MODEL_STALL_TIMEOUT_MS: "3600000", DRAIN_SECONDS: "0" },
      ...env,
    },
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  const cpu = async (): Promise<Cpu> => {
    const reply = once(child, "message");
    child.send("report");
    const [message]: unknown[] = await reply;
    const { cpuMs, mainMs } = Object(message);
    return { cpuMs: Number(cpuMs), mainMs: Number(mainMs) };
  };
  const startMs = performance.now();
  while (!(await isUp(url))) {
    if (child.exitCode !== null || performance.now() - startMs > startWithinMs) {
      await kill();
      throw new Error("Muster did not start");
    }
    await sleep(20);
  }
  return { url, pid: pidOf(child), cpu, kill, stop: () => stopProcess(child) };
}

async function isUp(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.status === 200;
}
