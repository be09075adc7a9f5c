import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { TestScope } from "@muster/testing";

export interface Child {
  process: ChildProcess;
  /** The name under which it takes leases. */
  holder: string;
  exited: Promise<unknown>;
}

/** Starts a service, or a computer, in a process of its own, and kills it after the test. */
export async function startChild(t: TestScope, env: Record<string, string>): Promise<Child> {
  const file = env.ROLE === "computer" ? "computer-child.ts" : "child.ts";
  const child = fork(new URL(file, import.meta.url), { env: { ...process.env, ...env } });
  const exited = once(child, "exit");
  t.onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const [holder] = await Promise.race([
    once(child, "message"),
    exited.then(() => Promise.reject(new Error("The process ended before it was ready"))),
  ]);
  return { process: child, holder: String(holder), exited };
}

/** Keeps several processes of one kind alive: a killed one is replaced. */
export class Fleet {
  readonly #t: TestScope;
  readonly #envs: Array<Record<string, string>>;
  readonly #children: Array<Promise<Child>>;

  constructor(t: TestScope, envs: Array<Record<string, string>>) {
    this.#t = t;
    this.#envs = envs;
    this.#children = envs.map((env) => startChild(t, env));
  }

  all(): Promise<Child[]> {
    return Promise.all(this.#children);
  }

  async kill(child: Child): Promise<void> {
    const index = (await this.all()).indexOf(child);
    const env = this.#envs[index];
    if (env === undefined) throw new Error("The process is not of this fleet");
    child.process.kill("SIGKILL");
    await child.exited;
    const next = startChild(this.#t, env);
    // The test may end, and kill it, before it is ready.
    next.catch(() => undefined);
    this.#children[index] = next;
  }
}
