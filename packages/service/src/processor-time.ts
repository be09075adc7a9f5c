import { setTimeout } from "node:timers/promises";
import type { Worker } from "node:worker_threads";

/** Reads the processor time that something has had so far, in milliseconds. */
export type ReadCpuMs = () => Promise<number>;

/** The processor time of a thread, without that of V8's helpers. 0 until it runs. */
export async function threadCpuMs(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1_000;
  } catch {
    return 0;
  }
}

/** So that readings that hardly grow do not keep the caller busy. */
const minReadEveryMs = 10;

/**
 * Resolves once a single thread has had `limitMs` of processor time since the call, which a busy machine delays. Rejects when the
 * signal aborts.
 */
export async function cpuSpent(limitMs: number, readCpuMs: ReadCpuMs, signal: AbortSignal): Promise<void> {
  const startMs = await readCpuMs();
  for (let leftMs = limitMs; leftMs > 0; leftMs = limitMs - ((await readCpuMs()) - startMs)) {
    // No thread gets more processor time than time passes, so that nothing happens before.
    await setTimeout(Math.max(minReadEveryMs, leftMs), undefined, { signal });
  }
}
