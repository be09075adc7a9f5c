import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { promisify } from "node:util";
import type { VolumeLimits } from "../files/limits.ts";

const run = promisify(execFile);

/**
 * Whether a folder exceeds the limits while programs write to it. It is only counted once the disk has lost as much, and by a
 * process of its own: nothing in the service may follow what moves.
 */
export async function diskWatch(
  folder: string,
  { maxBytes, maxEntries }: VolumeLimits,
): Promise<() => Promise<boolean>> {
  const before = await statfs(folder);
  const count = async (...options: string[]) => {
    // It reports what it counted even if files vanished meanwhile.
    const { stdout } = await run("du", ["-sx", ...options, "--", folder], { env: {} }).catch(
      (error) => error,
    );
    return Number.parseInt(String(stdout), 10) || 0;
  };
  return async () => {
    const now = await statfs(folder);
    const isPossible =
      (before.bfree - now.bfree) * before.bsize > maxBytes || before.ffree - now.ffree > maxEntries;
    if (!isPossible) return false;
    return (await count("--block-size=1")) > maxBytes || (await count("--inodes")) > maxEntries;
  };
}
