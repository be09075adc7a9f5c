import { randomBytes, randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceProcess } from "../service-process.ts";
import { type Program, repository, spawnNats, spawnProgram } from "../topology.ts";
import { type Names, startNames } from "./names.ts";

/** The programs that Muster consists of. */
export type Member = Exclude<Program, "embedded-store">;

const services = ["auth", "agents", "sessions", "workforce", "recorder"] as const;

export interface Instance {
  member: Member;
  host: string;
  /** `http://host:port` of a gateway, `host:port` of a service. */
  address: string;
  process: ServiceProcess;
}

export interface Received {
  calls: number;
  /** Those that trigger a turn. */
  streams: number;
}

/**
 * Muster with any number of processes of each program, on loopback addresses of their own and one port per program. A DNS
 * server resolves the name of a service to its instances, as a headless Service does.
 */
export class Cluster {
  readonly adminKey = `svc_sk_${randomBytes(24).toString("hex")}`;
  readonly instances: Instance[] = [];
  readonly #names: Names;
  readonly #env: Record<string, string>;
  readonly #directory: string;
  readonly #base: ServiceProcess[];
  readonly #ports = new Map<Member, number>();
  readonly #network = `127.${randomInt(1, 255)}.${randomInt(0, 255)}`;
  readonly #inDns = new Set<Instance>();
  #lastHost = 0;

  private constructor(names: Names, directory: string, base: ServiceProcess[], env: Record<string, string>) {
    this.#names = names;
    this.#directory = directory;
    this.#base = base;
    this.#env = { ...env, MUSTER_ADMIN_KEY: this.adminKey };
  }

  /** Starts the store, NATS and the DNS server. `env` goes to each of Muster's processes. */
  static async start(env: Record<string, string> = {}): Promise<Cluster> {
    const directory = await mkdtemp(join(tmpdir(), "muster-cluster-"));
    const store = spawnProgram("embedded-store", { EMBEDDED_STORE_DIRECTORY: join(directory, "store") });
    const nats = spawnNats(join(directory, "nats"));
    const [names, storeAddress, natsAddress] = await Promise.all([
      startNames(),
      store.printed(/mongodb:\S+/),
      nats.printed(/client connections on (\S+)/),
    ]);
    return new Cluster(names, directory, [store, nats], {
      MONGODB_URI: storeAddress,
      NATS_URL: `nats://${natsAddress}`,
      MUSTER_PRINCIPAL_SECRET: randomBytes(32).toString("base64url"),
      MUSTER_SECRETS_KEY: randomBytes(32).toString("hex"),
      FILES_DIRECTORY: join(directory, "files"),
      DATA_DIR: join(directory, "workforce"),
      TEST_DNS_SERVER: names.address,
      ...env,
    });
  }

  of(member: Member): Instance[] {
    return this.instances.filter((instance) => instance.member === member);
  }

  /**
   * Starts an instance from a checkout of the repository; its name resolves to it as well once it is ready. `env` overrides
   * that of the cluster.
   */
  async add(member: Member, root = repository, env: Record<string, string> = {}): Promise<Instance> {
    const host = `${this.#network}.${++this.#lastHost}`;
    const port = await this.#portOf(member, host);
    const muster = join(root, "packages/cli/bin/muster.mjs");
    const process = new ServiceProcess({
      name: member,
      command: [globalThis.process.execPath, "--import", preload, muster, "serve", member],
      env: { ...this.#envOf(member, host, port), ...env },
    });
    const address = member === "gateway" ? `http://${host}:${port}` : `${host}:${port}`;
    const instance: Instance = { member, host, address, process };
    this.instances.push(instance);
    await process.printed(/ is ready/);
    this.#resolve(instance, true);
    return instance;
  }

  /** The name of its service resolves to it no more; the process continues. */
  leave(instance: Instance): void {
    this.#resolve(instance, false);
  }

  /**
   * Stops the instance like Kubernetes: the instance leaves its name and receives SIGTERM. Resolves with its exit code
   * and the time it took.
   */
  async stop(instance: Instance): Promise<{ code: number | null; tookMs: number }> {
    this.leave(instance);
    const startMs = performance.now();
    instance.process.kill("SIGTERM");
    const code = await instance.process.ended();
    this.instances.splice(this.instances.indexOf(instance), 1);
    return { code, tookMs: performance.now() - startMs };
  }

  /** Fails like a machine: the instance dies without a word, and its name resolves to it for a while. */
  async kill(instance: Instance): Promise<void> {
    instance.process.kill("SIGKILL");
    await instance.process.ended();
    this.instances.splice(this.instances.indexOf(instance), 1);
    this.leave(instance);
  }

  /** The requests that the instance has received so far. */
  async received({ process }: Instance): Promise<Received> {
    const reports = process.output.match(/^calls \d+/gm)?.length ?? 0;
    process.kill("SIGUSR2");
    const line = await process.printed(new RegExp(`^calls ${reports + 1} (\\d+ \\d+)`, "m"));
    const [calls = 0, streams = 0] = line.split(" ").map(Number);
    return { calls, streams };
  }

  /** The warnings and errors that running processes have logged. */
  warnings(): string[] {
    return this.instances.flatMap(({ member, host, process }) =>
      (process.output.match(/^\{"level":[456]0.*$/gm) ?? []).map((line) => `${member} ${host}: ${line}`),
    );
  }

  async destroy(): Promise<void> {
    const processes = [...this.instances.map(({ process }) => process), ...this.#base];
    for (const process of processes) process.kill("SIGKILL");
    await Promise.all(processes.map((process) => process.ended()));
    await this.#names.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  #envOf(member: Member, host: string, port: number): Record<string, string> {
    const prefix = member === "gateway" ? "" : `${member.toUpperCase()}_`;
    const addresses = services
      .filter((service) => service !== "recorder")
      .map((service) => [
        `${service.toUpperCase()}_ADDRESSES`,
        `dns:///${nameOf(service)}:${this.#ports.get(service) ?? 1}`,
      ]);
    return {
      ...Object.fromEntries(addresses),
      ...this.#env,
      [`${prefix}HOST`]: host,
      [`${prefix}PORT`]: String(port),
    };
  }

  /** The port of all instances of the program: one that is free on the first one's address. */
  async #portOf(member: Member, host: string): Promise<number> {
    for (const each of [member, ...services]) {
      if (!this.#ports.has(each)) this.#ports.set(each, await freePort(host));
    }
    return this.#ports.get(member) ?? 0;
  }

  #resolve(instance: Instance, isIn: boolean): void {
    if (isIn) this.#inDns.add(instance);
    else this.#inDns.delete(instance);
    const hosts = [...this.#inDns].filter(({ member }) => member === instance.member);
    this.#names.set(
      nameOf(instance.member),
      hosts.map(({ host }) => host),
    );
  }
}

const preload = import.meta.resolve("./preload.ts");

function nameOf(member: Member): string {
  return `${member}.muster.test`;
}

function freePort(host: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer().once("error", reject);
  server.listen(0, host, () => {
    const address = server.address();
    server.close(() => resolve(address !== null && typeof address === "object" ? address.port : 0));
  });
  return promise;
}
