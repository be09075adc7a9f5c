import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { sourceEnvironment } from "@muster/testing";
import { ServiceProcess } from "./service-process.ts";

export type { ServiceProcess } from "./service-process.ts";

/** A program of this repository that runs as a process. */
export type Program =
  | "embedded-store"
  | "auth"
  | "agents"
  | "sessions"
  | "workforce"
  | "recorder"
  | "gateway";

export interface Served {
  process: ServiceProcess;
  /** `host:port` of a service, `mongodb://…` of the store, `nats://…`, `http://…` of a gateway. */
  address: string;
  /** The time from the start of the process until it served. */
  startMs: number;
}

export interface Topology {
  store: Served;
  nats: Served;
  auth: Served;
  agents: Served;
  workforce: [Served, Served];
  recorder: Served;
  sessions: [Served, Served];
  gateways: {
    /** Knows only the first instances of the sessions and the workforce service, so that a test knows which it reaches. */
    toFirst: Served;
    toSecond: Served;
    /** Knows all instances, as gateways do outside tests. */
    toBoth: Served;
  };
  /** The admin key that auth printed at its first start. */
  adminKey: string;
  /** All processes in stopping order: each before those that it needs. */
  all: Served[];
  /** Kills all remaining processes and deletes the data. */
  destroy(): Promise<void>;
}

/** The root of this checkout. */
export const repository = resolve(import.meta.dirname, "../../../..");

/** Starts a program of this repository under the Node that runs this one. */
export function spawnProgram(program: Program, env: Record<string, string>): ServiceProcess {
  if (program !== "embedded-store") {
    const muster = join(repository, "packages/cli/bin/muster.mjs");
    return new ServiceProcess({ name: program, command: [process.execPath, muster, "serve", program], env });
  }
  const store = join(repository, "packages/embedded-store/src/main.ts");
  return new ServiceProcess({
    ...{ name: program, command: [process.execPath, store] },
    env: { ...sourceEnvironment(), ...env },
  });
}

/**
 * Starts the embedded store as the MongoDB server, NATS, and Muster with two sessions and two workforce processes,
 * a recorder and three gateways, on free ports of loopback. `env` goes to each of Muster's processes. Rejects, leaving nothing behind,
 * if one does not serve within 10 s.
 */
export async function startTopology(env: Record<string, string> = {}): Promise<Topology> {
  const directory = await mkdtemp(join(tmpdir(), "muster-processes-"));
  const started: Served[] = [];
  const destroy = async () => {
    for (const { process } of started) process.kill("SIGKILL");
    await Promise.all(started.map(({ process }) => process.ended()));
    await rm(directory, { recursive: true, force: true });
  };
  const serve: Serve = async (process, pattern, toAddress = (text) => text) => {
    const served: Served = { process, address: "", startMs: 0 };
    started.push(served);
    served.address = toAddress(await process.printed(pattern));
    served.startMs = performance.now() - process.startedAtMs;
    return served;
  };
  try {
    const parts = await startAll(serve, directory, env);
    const { toFirst, toSecond, toBoth } = parts.gateways;
    const { auth, agents, workforce, sessions, recorder, store, nats } = parts;
    const all = [toFirst, toSecond, toBoth, recorder, ...workforce, ...sessions, auth, agents, store, nats];
    return { ...parts, all, destroy };
  } catch (error) {
    await destroy();
    throw error;
  }
}

type Serve = (
  process: ServiceProcess,
  pattern: RegExp,
  toAddress?: (printed: string) => string,
) => Promise<Served>;

async function startAll(serve: Serve, directory: string, more: Record<string, string>) {
  const [store, nats] = await Promise.all([
    serve(
      spawnProgram("embedded-store", { EMBEDDED_STORE_DIRECTORY: join(directory, "store") }),
      /mongodb:\S+/,
    ),
    serve(
      spawnNats(join(directory, "nats")),
      /client connections on (\S+)/,
      (address) => `nats://${address}`,
    ),
  ]);
  const common = {
    MONGODB_URI: store.address,
    NATS_URL: nats.address,
    MUSTER_PRINCIPAL_SECRET: randomBytes(32).toString("base64url"),
    MUSTER_SECRETS_KEY: randomBytes(32).toString("hex"),
    FILES_DIRECTORY: join(directory, "files"),
    // Tests run side by side, and a video would wait for all others.
    RECORDER_PRIORITY: "normal",
    ...more,
  };
  const service = (program: Exclude<Program, "embedded-store" | "gateway">, env = {}) => {
    const name = program.toUpperCase();
    const listen = { [`${name}_HOST`]: "127.0.0.1", [`${name}_PORT`]: "0" };
    return serve(spawnProgram(program, { ...common, ...listen, ...env }), /"address":"([^"]+)".* is ready/);
  };
  const [auth, agents] = await Promise.all([service("auth"), service("agents")]);
  const addresses = { AUTH_ADDRESSES: auth.address, AGENTS_ADDRESSES: agents.address };
  const sessions = await Promise.all([service("sessions", addresses), service("sessions", addresses)]);
  const behindWorkforce = {
    ...addresses,
    SESSIONS_ADDRESSES: addressesOf(sessions),
    DATA_DIR: join(directory, "workforce"),
  };
  const workforce = await Promise.all([
    service("workforce", behindWorkforce),
    service("workforce", behindWorkforce),
  ]);
  const recorder = await service("recorder", { WORKFORCE_ADDRESSES: addressesOf(workforce) });
  const gateway = (behind: { sessions: Served[]; workforce: Served[] }) => {
    const names = {
      SESSIONS_ADDRESSES: addressesOf(behind.sessions),
      WORKFORCE_ADDRESSES: addressesOf(behind.workforce),
    };
    const listen = { HOST: "127.0.0.1", PORT: "0", SHUTDOWN_DELAY_SECONDS: "0" };
    const env = { ...listen, ...common, ...addresses, ...names };
    return serve(spawnProgram("gateway", env), /"url":"([^"]+)".* is ready/);
  };
  const [toFirst, toSecond, toBoth] = await Promise.all([
    gateway({ sessions: [sessions[0]], workforce: [workforce[0]] }),
    gateway({ sessions: [sessions[1]], workforce: [workforce[1]] }),
    gateway({ sessions, workforce }),
  ]);
  const adminKey = await auth.process.printed(/Bootstrap API key \(shown once\): (\S+)/);
  return {
    store,
    nats,
    auth,
    agents,
    workforce,
    sessions,
    recorder,
    gateways: { toFirst, toSecond, toBoth },
    adminKey,
  };
}

function addressesOf(served: Served[]): string {
  return served.map(({ address }) => address).join(",");
}

/** Starts `nats-server` with JetStream on loopback, without `port` on a free one; its output names the port. */
export function spawnNats(directory: string, port = "-1"): ServiceProcess {
  const options = [
    "--addr",
    "127.0.0.1",
    "--port",
    port === "0" ? "-1" : port,
    "--jetstream",
    "--store_dir",
    directory,
  ];
  return new ServiceProcess({ name: "nats-server", command: ["nats-server", ...options] });
}
