import { readFile } from "node:fs/promises";

/** The most memory that this process has used, in bytes. */
export async function peakMemoryBytes(): Promise<number> {
  // Linux counts the memory of the process that started this one as its `maxRSS`, if that is more.
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const kilobytes = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1];
  return (kilobytes === undefined ? process.resourceUsage().maxRSS : Number(kilobytes)) * 1024;
}
