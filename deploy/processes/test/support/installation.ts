import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceProcess } from "./service-process.ts";
import { type Program, spawnNats, spawnProgram } from "./topology.ts";

/** A process that an installation consists of. */
export type Part = Program | "nats-server";

interface Running {
  process: ServiceProcess;
  /** `host:port` where it listens; the URI of the store. */
  address: string;
}

/** One process of each kind, so that a stopped one has no substitute. */
export class Installation {
  readonly directory: string;
  readonly #common: Record<string, string>;
  readonly #running = new Map<Part, Running>();

  private constructor(directory: string) {
    this.directory = directory;
    this.#common = {
      MUSTER_PRINCIPAL_SECRET: randomBytes(32).toString("base64url"),
      MUSTER_SECRETS_KEY: randomBytes(32).toString("hex"),
      MUSTER_ADMIN_KEY: `svc_sk_${randomBytes(24).toString("hex")}`,
      FILES_DIRECTORY: join(directory, "files"),
      DATA_DIR: join(directory, "workforce"),
      DEMO_WORD_DELAY_MS: "0",
      LOG_LEVEL: "info",
    };
  }

  /** Starts everything on free ports of loopback. Rejects, leaving nothing behind, if a part does not serve. */
  static async start(): Promise<Installation> {
    const installation = new Installation(await mkdtemp(join(tmpdir(), "muster-outages-")));
    try {
      for (const parts of startingOrder) await Promise.all(parts.map((part) => installation.start(part)));
    } catch (error) {
      await installation.destroy();
      throw error;
    }
    return installation;
  }

  get adminKey(): string {
    return this.#common.MUSTER_ADMIN_KEY ?? "";
  }

  get url(): string {
    return `http://${this.#addressOf("gateway")}`;
  }

  /** Starts a part, at its earlier address if it has had one. */
  async start(part: Part): Promise<void> {
    const process = this.#spawn(part);
    this.#running.set(part, { process, address: this.#running.get(part)?.address ?? "127.0.0.1:0" });
    this.#running.set(part, {
      process,
      address: await process.printed(serves[part] ?? /"address":"([^"]+)".* is ready/),
    });
  }

  /** Ends a part as a power cut does. */
  async kill(part: Part): Promise<void> {
    const { process } = this.#get(part);
    process.kill("SIGKILL");
    await process.ended();
  }

  async destroy(): Promise<void> {
    for (const { process } of this.#running.values()) process.kill("SIGKILL");
    await Promise.all([...this.#running.values()].map(({ process }) => process.ended()));
    await rm(this.directory, { recursive: true, force: true });
  }

  #spawn(part: Part): ServiceProcess {
    const port = /:(\d+)/.exec(this.#running.get(part)?.address ?? "")?.[1] ?? "0";
    if (part === "nats-server") return spawnNats(join(this.directory, "nats"), port);
    if (part === "embedded-store")
      return spawnProgram(part, { EMBEDDED_STORE_DIRECTORY: join(this.directory, "store"), PORT: port });
    return spawnProgram(part, { ...this.#common, ...this.#dependencies(part), ...this.#listen(part, port) });
  }

  #listen(part: Program, port: string): Record<string, string> {
    const prefix = part === "gateway" ? "" : `${part.toUpperCase()}_`;
    return { [`${prefix}HOST`]: "127.0.0.1", [`${prefix}PORT`]: port };
  }

  #dependencies(part: Program): Record<string, string> {
    const names = ["auth", "agents", "sessions", "workforce"] as const;
    const running = names.filter((name) => name !== part && this.#running.has(name));
    return {
      MONGODB_URI: this.#addressOf("embedded-store"),
      NATS_URL: `nats://${this.#addressOf("nats-server")}`,
      ...Object.fromEntries(
        running.map((name) => [`${name.toUpperCase()}_ADDRESSES`, this.#addressOf(name)]),
      ),
    };
  }

  #addressOf(part: Part): string {
    return this.#get(part).address;
  }

  #get(part: Part): Running {
    const running = this.#running.get(part);
    if (running === undefined) throw new Error(`${part} has not been started`);
    return running;
  }
}

const startingOrder: Part[][] = [
  ["embedded-store", "nats-server"],
  ["auth", "agents"],
  ["sessions"],
  ["workforce"],
  ["recorder", "gateway"],
];

/** Printed by a part that serves, with its address. */
const serves: Partial<Record<Part, RegExp>> = {
  "embedded-store": /(mongodb:\S+)/,
  "nats-server": /client connections on (\S+)/,
  gateway: /"url":"http:\/\/([^"]+)".* is ready/,
};
