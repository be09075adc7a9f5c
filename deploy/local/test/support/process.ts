import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { programEnvironment, sourceEnvironment } from "@muster/testing";
import type { TestContext } from "vitest";

const muster = join(import.meta.dirname, "../../../../packages/cli/bin/muster.mjs");

/** Muster in a process of its own, or another program of this repository, from its sources. */
export class TestProcess {
  readonly child: ChildProcess;
  #output = "";
  #errors = "";
  readonly #closed: Promise<unknown>;

  constructor(t: TestContext, env: Record<string, string | undefined>, program?: string[]) {
    this.child = spawn(process.execPath, program ?? [muster, "serve", "all"], {
      env: { ...(program ? sourceEnvironment() : programEnvironment()), ...env },
      stdio: "pipe",
    });
    this.child.stdout?.on("data", (chunk) => this.#add(String(chunk)));
    this.child.stderr?.on("data", (chunk) => {
      this.#errors += String(chunk);
      this.#add(String(chunk));
    });
    this.#closed = once(this.child, "close");
    t.onTestFinished(() => {
      this.child.kill("SIGKILL");
    });
  }

  /** Standard output and error so far. */
  get output(): string {
    return this.#output;
  }

  /** Standard error so far. */
  get errors(): string {
    return this.#errors;
  }

  /** The first match in the output; waits for it, and fails if the process ends without one. */
  async printed(pattern: RegExp): Promise<RegExpMatchArray> {
    for (;;) {
      const match = this.#output.match(pattern);
      if (match) return match;
      assert.equal(this.child.exitCode, null, `ended without ${pattern}: ${this.#output}`);
      await Promise.race([once(this.child, "output"), once(this.child, "exit")]);
    }
  }

  async exitCode(): Promise<number | null> {
    // Emitted after the last output, unlike "exit".
    await this.#closed;
    return this.child.exitCode;
  }

  #add(text: string): void {
    this.#output += text;
    this.child.emit("output");
  }
}
