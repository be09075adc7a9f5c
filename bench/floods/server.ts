import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../free-port.ts";
import { stopProcess } from "../stream/processes.ts";
import { Api, type Reply } from "./api.ts";

const entry = fileURLToPath(new URL("../../deploy/local/src/main.mjs", import.meta.url));
const loopMonitor: Monitor = { module: new URL("loop-monitor.ts", import.meta.url).href };
const startWithinMs = 30_000;
const sentWithinMs = 3_000;

/** Is preloaded into a server and answers every message of its parent with `{ value }`, a number. */
export interface Monitor {
  /** The URL of a module. */
  module: string;
  /** Of Node. */
  flags?: readonly string[];
}

/** Muster as `npm start` runs it, with a monitor. */
export interface WatchedServer {
  api: Api;
  /** What the monitor has measured since the last call; see `loop-monitor.ts`. */
  measured(): Promise<number>;
  /** Suspends the process while requests are sent, so that it finds all of them in one moment. */
  together(requests: ReadonlyArray<() => Promise<Reply>>): Promise<Reply[]>;
  stop(): Promise<void>;
}

export async function startWatchedServer(
  providerUrl: string,
  { module, flags = [] }: Monitor = loopMonitor,
): Promise<WatchedServer> {
  const directory = await mkdtemp(join(tmpdir(), "muster-floods-"));
  const key = `svc_sk_${randomBytes(24).toString("hex")}`;
  const port = await freePort();
  const child = spawn(process.execPath, [...flags, "--import", module, entry], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      PATH: process.env.PATH,
      HOST: "127.0.0.1",
      PORT: String(port),
      DATA_DIR: directory,
      MUSTER_ADMIN_KEY: key,
      LOCAL_BASE_URL: providerUrl,
      LOG_LEVEL: "error",
    },
  });
  const api = new Api(`http://127.0.0.1:${port}`, key);
  const stop = async (): Promise<void> => {
    await api.close();
    await stopProcess(child);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await untilUp(api, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    api,
    measured: () => askMonitor(child),
    together: (requests) => sendTogether(child, requests),
    stop,
  };
}

async function untilUp(api: Api, child: ChildProcess): Promise<void> {
  const startMs = performance.now();
  while (!(await api.isUp())) {
    if (child.exitCode !== null || performance.now() - startMs > startWithinMs) {
      throw new Error("Muster did not start");
    }
    await sleep(20);
  }
}

async function sendTogether(
  child: ChildProcess,
  requests: ReadonlyArray<() => Promise<Reply>>,
): Promise<Reply[]> {
  let unsent = requests.length;
  const allSent = Promise.withResolvers<void>();
  const count = () => {
    unsent -= 1;
    if (unsent === 0) allSent.resolve();
  };
  subscribe("undici:client:sendHeaders", count);
  child.kill("SIGSTOP");
  try {
    const replies = Promise.all(requests.map((send) => send()));
    // An error ends the wait as well. Requests on other sockets are not counted.
    await Promise.race([allSent.promise, replies, sleep(sentWithinMs)]);
    child.kill("SIGCONT");
    return await replies;
  } finally {
    child.kill("SIGCONT");
    unsubscribe("undici:client:sendHeaders", count);
  }
}

async function askMonitor(child: ChildProcess): Promise<number> {
  // A hold is counted when the loop is free again.
  await sleep(50);
  const reply = once(child, "message");
  child.send("report");
  const [message]: unknown[] = await reply;
  const value = typeof message === "object" && message !== null && Reflect.get(message, "value");
  if (typeof value !== "number") throw new Error("The monitor sent no figure");
  return value;
}
