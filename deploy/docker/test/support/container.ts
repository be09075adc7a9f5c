import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { TestScope } from "@muster/testing";
import type { ImageSettings } from "../../src/dockerfile.ts";

const execute = promisify(execFile);
const script = join(import.meta.dirname, "container.sh");

/** Whether this user may make containers. Elsewhere the processes run as the user who tests, beside everything else. */
export const isIsolated =
  spawnSync("unshare", ["--mount", "--pid", "--fork", "mount", "--make-rprivate", "/"]).status === 0;

export type Env = Readonly<Record<string, string>>;

export interface ContainerOptions {
  scratch: string;
  /** The folder that replaces the root directory of the image. */
  root: string;
  settings: ImageSettings;
}

/** Runs commands of an image, all with the same volume for `/data`. */
export class Containers {
  readonly #options: ContainerOptions;
  readonly #app: string;
  readonly #data: string;

  constructor(options: ContainerOptions) {
    this.#options = options;
    this.#app = realpathSync(join(options.root, "app"));
    this.#data = join(options.scratch, "volume");
    const [user, group] = options.settings.user.split(":").map(Number);
    mkdirSync(this.#data);
    mkdirSync(join(options.scratch, "root"));
    if (isIsolated && user !== undefined && group !== undefined) chownSync(this.#data, user, group);
    else makeReadOnly(this.#app);
  }

  /** A path of the image as its processes see it. */
  path(path: string): string {
    if (isIsolated) return path;
    return path.replace(/^\/app/, this.#app).replace(/^\/data/, this.#data);
  }

  start(t: TestScope, command: readonly string[], env: Env = {}): Container {
    const child = spawn(...this.#commandLine(command, env), { stdio: ["ignore", "pipe", "pipe"] });
    const container = new Container(child);
    t.onTestFinished(async () => {
      child.kill("SIGKILL");
      await container.ended();
    });
    return container;
  }

  #commandLine(command: readonly string[], more: Env): [string, string[]] {
    const { scratch, settings } = this.#options;
    const env = { ...settings.env, HOME: "/", ...more };
    const pairs = Object.entries(env).map(([name, value]) => `${name}=${this.#inPath(name, value)}`);
    const words = ["env", "--ignore-environment", ...pairs, ...command.map((word) => this.path(word))];
    if (!isIsolated) return ["/usr/bin/env", words.slice(1)];
    const [user = "", group = ""] = settings.user.split(":");
    const places = [join(scratch, "root"), this.#app, this.#data, process.execPath, user, group];
    const namespaces = ["--mount", "--pid", "--fork", "--kill-child"];
    return ["unshare", [...namespaces, "/bin/sh", script, ...places, ...words]];
  }

  /** Node is in the base image; this machine may have another one. */
  #inPath(name: string, value: string): string {
    if (name !== "PATH") return this.path(value);
    const node = isIsolated ? "/node" : dirname(process.execPath);
    return [node, ...value.split(":").map((folder) => this.path(folder))].join(":");
  }
}

export class Container {
  readonly child: ChildProcess;
  output = "";
  readonly #closed: Promise<unknown>;

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.on("data", (chunk) => {
      this.output += String(chunk);
    });
    child.stderr?.on("data", (chunk) => {
      this.output += String(chunk);
    });
    this.#closed = once(child, "close");
  }

  /** The number of its first process on this machine. */
  get pid(): number {
    const outer = this.child.pid ?? 0;
    return isIsolated ? (childrenOf(outer)[0] ?? 0) : outer;
  }

  async printed(pattern: RegExp): Promise<string> {
    for (;;) {
      const match = pattern.exec(this.output);
      if (match) return match[1] ?? match[0];
      if (this.child.exitCode !== null) throw new Error(`ended without ${pattern}: ${this.output}`);
      await Promise.race([once(this.child.stdout ?? this.child, "data"), this.#closed]);
    }
  }

  async ended(): Promise<{ code: number | null; output: string }> {
    await this.#closed;
    return { code: this.child.exitCode, output: this.output };
  }

  /** Runs a command beside the first process, as `docker exec` and health checks do. Only if isolated. */
  async execute(settings: ImageSettings, command: readonly string[], env: Env) {
    const target = ["--target", String(this.pid), "--mount", "--pid", "--root", "--wd"];
    const [user = "", group = ""] = settings.user.split(":");
    const asUser = ["setpriv", "--reuid", user, "--regid", group, "--clear-groups"];
    const pairs = Object.entries({ ...settings.env, ...env, PATH: `/node:${settings.env.PATH}` });
    const words = ["env", "-i", ...pairs.map(([name, value]) => `${name}=${value}`), ...command];
    return execute("nsenter", [...target, ...asUser, ...words]);
  }

  /** Processes below it that have ended and that no parent has waited for. */
  zombies(): number[] {
    return childrenOf(this.pid).filter((pid) =>
      /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8")),
    );
  }
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}

function makeReadOnly(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeReadOnly(path);
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o555);
  }
  chmodSync(folder, 0o555);
}
