import type { Environment } from "@muster/service";
import { type ComputersConfig, readComputersConfig } from "../config.ts";
import { createRuntime } from "../create-runtime.ts";

export interface RuntimeCheck {
  ok: boolean;
  /** One line: the environment of commands, or the problem with its remedy. */
  message: string;
}

/** Rejects with what to do if this machine cannot run commands with these settings. Returns the environment of commands. */
export async function requireRuntime(config: ComputersConfig): Promise<string> {
  const runtime = createRuntime({ config, now: Date.now });
  try {
    return await runtime.check();
  } finally {
    await runtime.close();
  }
}

/** Whether this machine can run commands with these settings; undefined if they need nothing of it. For `muster doctor`. */
export async function checkRuntime(env: Environment): Promise<RuntimeCheck | undefined> {
  try {
    const config = readComputersConfig(env);
    if (config.bubblewrap === undefined) return undefined;
    return { ok: true, message: await requireRuntime(config) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}
