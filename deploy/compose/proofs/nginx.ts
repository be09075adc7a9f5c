import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "@muster/testing";
import { localProxyConfig } from "../test/support/local-proxy.ts";
import { missing } from "./missing.ts";

export interface RunningProxy {
  port: number;
  url: string;
  /** Waits for open requests to end. Resolves when the proxy has ended. */
  stop(): Promise<void>;
  /** Ends it at once, and removes its files. */
  destroy(): Promise<void>;
}

/** Throws if nginx is not installed. */
export function requireNginx(): void {
  if (spawnSync("nginx", ["-v"]).error) throw missing("nginx", "nginx-light");
}

/** Starts the real nginx with the shipped configuration on a free port of loopback. */
export async function startProxy(gateways: readonly string[]): Promise<RunningProxy> {
  const directory = await mkdtemp(join(tmpdir(), "muster-proxy-"));
  const port = await freePort();
  const config = join(directory, "nginx.conf");
  await writeFile(config, localProxyConfig({ port, gateways, directory }));
  const child = spawn("nginx", ["-e", "stderr", "-c", config, "-g", "daemon off;"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = once(child, "close");
  const destroy = async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  for (let attempt = 0; !(await accepts(port)); attempt++) {
    if (child.exitCode !== null || attempt > 200) {
      await destroy();
      throw new Error(`nginx does not start: ${output}`);
    }
    await delay(25);
  }
  const stop = async () => {
    child.kill("SIGQUIT");
    await ended;
  };
  return { port, url: `http://127.0.0.1:${port}`, stop, destroy };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
