import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Program, spawnNats, spawnProgram } from "@muster/processes";
import type { ServiceProcess } from "@muster/processes/service-process";
import { type ComposeService, processesIn, readComposeFile } from "./compose-file.ts";
import { makeEnv } from "./env-file.ts";
import type { Variables } from "./interpolate.ts";

export interface LocalCluster {
  /** `host:port` of each instance, by the name of its service in compose.yaml. */
  addresses: ReadonlyMap<string, readonly string[]>;
  /** The URLs of the metrics of all processes. */
  metricsUrls: readonly string[];
  /** The admin's key, from the `.env` that was made for it. */
  adminKey: string;
  /** Asks the instance at this address to stop; resolves with its exit code. */
  stopInstance(address: string): Promise<number | null>;
  /** Asks all processes to stop; resolves with their exit codes. */
  stop(): Promise<Array<number | null>>;
  /** Kills what is left, and removes the data. */
  destroy(): Promise<void>;
}

export interface ClusterOptions {
  /** How many instances of a service run. Default: as in compose.yaml. */
  replicas?: Readonly<Record<string, number>>;
}

/**
 * Starts the processes of compose.yaml on this machine, each with its environment from there. Only the parts that
 * containers have of their own differ: host names become addresses of loopback, ports are free ones, and `/data` is a
 * temporary folder. The embedded store replaces MongoDB.
 */
export async function startLocalCluster({ replicas = {} }: ClusterOptions = {}): Promise<LocalCluster> {
  const directory = await mkdtemp(join(tmpdir(), "muster-compose-"));
  const variables: Variables = { ...makeEnv(), EDGE_SUBNET: "127.0.0.0/8" };
  const file = readComposeFile(variables);
  const spawned: ServiceProcess[] = [];
  const byAddress = new Map<string, ServiceProcess>();
  const start = async (process: ServiceProcess, ready: RegExp): Promise<string> => {
    spawned.push(process);
    const address = await process.printed(ready);
    byAddress.set(address, process);
    return address;
  };
  const destroy = async () => {
    for (const process of spawned) process.kill("SIGKILL");
    await Promise.all(spawned.map((process) => process.ended()));
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const [store, nats] = await Promise.all([
      start(
        spawnProgram("embedded-store", { EMBEDDED_STORE_DIRECTORY: join(directory, "store") }),
        /mongodb:\S+/,
      ),
      start(spawnNats(join(directory, "nats")), /client connections on (\S+)/),
    ]);
    const infrastructure = spawned.length;
    const addresses = new Map<string, string[]>();
    const replaced = (value: string) =>
      value
        .replace(/^mongodb:\/\/muster:\w+@mongodb:27017\/\?replicaSet=rs0$/, store)
        .replace("nats://nats:4222", `nats://${nats}`)
        .replace(/^dns:\/\/\/([a-z]+):\d+$/, (_, name: string) => (addresses.get(name) ?? []).join(","))
        .replace(/^\/data\b/, join(directory, "data"));
    const startService = async ([name, service]: [string, ComposeService]) => {
      const env = Object.fromEntries(
        Object.entries(service.environment).map(([variable, value]) => [variable, replaced(value)]),
      );
      const count = replicas[name] ?? service.deploy.replicas;
      const instances = Array.from({ length: count }, () => startProcess(name, env, start));
      addresses.set(name, await Promise.all(instances));
    };
    for (const wave of wavesOf(processesIn(file))) await Promise.all(wave.map(startService));
    const stopInstance = async (address: string) => {
      const process = byAddress.get(address);
      if (process === undefined) throw new Error(`No instance listens on ${address}`);
      process.kill("SIGTERM");
      return process.ended();
    };
    const stop = () => {
      // The callers first.
      const processes = spawned.slice(infrastructure).reverse();
      for (const process of processes) process.kill("SIGTERM");
      return Promise.all(processes.map((process) => process.ended()));
    };
    const metricsUrls = await Promise.all(
      spawned.slice(infrastructure).map((process) => process.printed(/"url":"([^"]+\/metrics)"/)),
    );
    const adminKey = variables.MUSTER_ADMIN_KEY ?? "";
    return { addresses, metricsUrls, adminKey, stopInstance, stop, destroy };
  } catch (error) {
    await destroy();
    throw error;
  }
}

function startProcess(
  name: string,
  env: Record<string, string>,
  start: (process: ServiceProcess, ready: RegExp) => Promise<string>,
): Promise<string> {
  const program = programs[name];
  if (program === undefined) throw new Error(`${name} is not a process of the product`);
  const prefix = name === "gateway" ? "" : `${name.toUpperCase()}_`;
  const listen = { [`${prefix}HOST`]: "127.0.0.1", [`${prefix}PORT`]: "0", METRICS_PORT: "0" };
  const ready = name === "gateway" ? /"url":"http:\/\/([^"]+)".* is ready/ : /"address":"([^"]+)".* is ready/;
  return start(spawnProgram(program, { ...env, ...listen }), ready);
}

const programs: Readonly<Record<string, Program>> = {
  auth: "auth",
  agents: "agents",
  sessions: "sessions",
  workforce: "workforce",
  recorder: "recorder",
  gateway: "gateway",
};

type Named = [string, ComposeService];

/** The services in the order in which Docker Compose starts them: each after all that it depends on. */
function wavesOf(services: readonly Named[]): Named[][] {
  const waves: Named[][] = [];
  let waiting = [...services];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(([name]) => name));
    const isReady = ([, { depends_on }]: Named) => Object.keys(depends_on).every((name) => !names.has(name));
    const wave = waiting.filter(isReady);
    if (wave.length === 0) throw new Error("Services wait for each other");
    waves.push(wave);
    waiting = waiting.filter((service) => !wave.includes(service));
  }
  return waves;
}
