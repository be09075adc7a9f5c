import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@muster/testing";
import { request } from "undici";
import { pidOf, stopProcess } from "./processes.ts";

const monitor = new URL("monitor.ts", import.meta.url).href;
const startWithinMs = 120_000;

export interface Settings {
  /** The base URL of the models. */
  models: string;
  /** More of Muster's settings. */
  env?: Readonly<Record<string, string>>;
  /** Loads the monitor into the process, which `ask` needs. */
  isWatched?: boolean;
  /** A folder for CPU profiles, which are written when a process stops. */
  profile?: string | undefined;
  /** The folder of the checkout to start. Default: this one. */
  checkout?: string;
}

/** Muster as `npm start` runs it. */
export interface Server {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** From the start of the process until it responded to an authenticated request. */
  readonly startMs: number;
  /** The numbers that the monitor reports; see `monitor.ts`. */
  ask(what: "cpu" | "hold"): Promise<Record<string, number>>;
  /** `kill -9`. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Where servers keep their data, one after another. */
export interface Home {
  readonly directory: string;
  /** The admin key. */
  readonly key: string;
  start(): Promise<Server>;
  remove(): Promise<void>;
}

export async function createHome(settings: Settings): Promise<Home> {
  const directory = await mkdtemp(join(tmpdir(), "muster-bench-"));
  const key = `svc_sk_${randomBytes(24).toString("hex")}`;
  return {
    directory,
    key,
    start: () => start(settings, directory, key),
    remove: () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}

async function start(settings: Settings, directory: string, key: string): Promise<Server> {
  const {
    models,
    env,
    isWatched = false,
    profile,
    checkout = resolve(import.meta.dirname, "../.."),
  } = settings;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const flags = [
    ...(profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${resolve(profile)}`]),
    ...(isWatched ? ["--import", monitor] : []),
  ];
  const startedMs = performance.now();
  const child = spawn(
    process.execPath,
    [...flags, join(checkout, "packages/cli/bin/muster.mjs"), "serve", "all"],
    {
      stdio: ["ignore", "ignore", "inherit", ...(isWatched ? ["ipc" as const] : [])],
      env: {
        ...{ PATH: process.env.PATH, HOST: "127.0.0.1", PORT: String(port) },
        ...{ DATA_DIR: directory, MUSTER_ADMIN_KEY: key, LOCAL_BASE_URL: models, ...env },
      },
    },
  );
  while (!(await isUp(url, key))) {
    if (child.exitCode === null && performance.now() - startedMs < startWithinMs) await sleep(5);
    else {
      await stopProcess(child);
      throw new Error("Muster did not start");
    }
  }
  const startMs = performance.now() - startedMs;
  const ask = async (what: string) => {
    const reply = once(child, "message");
    child.send(what);
    const [numbers]: Record<string, number>[] = await reply;
    return numbers ?? {};
  };
  const kill = () => stopProcess(child, "SIGKILL");
  return { url, port, pid: pidOf(child), startMs, ask, kill, stop: () => stopProcess(child) };
}

async function isUp(url: string, key: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await request(`${url}/api/agents`, { headers }).catch(() => undefined);
  await response?.body.dump();
  return response?.statusCode === 200;
}
