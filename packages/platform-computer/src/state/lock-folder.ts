import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConnectError } from "../connect-error.ts";
import { processStartOf } from "./process-start.ts";

/**
 * Takes a folder for this process until it ends, or until the returned function is called. Throws {@link ConnectError} if another process has it.
 *
 * The lock is the file with the highest number, and names its process. A process takes over from a dead one by creating the
 * next number, which succeeds only once. The highest file is never removed, so a slow process cannot create it again.
 */
export function lockFolder(folder: string): () => void {
  const started = processStartOf(process.pid);
  const draft = join(folder, `draft.${process.pid}`);
  writeFileSync(draft, JSON.stringify({ pid: process.pid, started }));
  try {
    for (;;) {
      const numbers = lockNumbers(folder);
      const highest = Math.max(0, ...numbers);
      const owner = highest === 0 ? undefined : readOwner(join(folder, `lock.${highest}`));
      if (owner !== undefined && owner.started !== undefined && processStartOf(owner.pid) === owner.started) {
        const remedy = "End it, or give this one another folder with --state.";
        throw new ConnectError(`Process ${owner.pid} already uses the state folder ${folder}. ${remedy}`);
      }
      const lock = join(folder, `lock.${highest + 1}`);
      if (!isLinked(draft, lock)) continue;
      for (const number of numbers) rmSync(join(folder, `lock.${number}`), { force: true });
      return () => writeFileSync(lock, "");
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function lockNumbers(folder: string): number[] {
  return readdirSync(folder).flatMap((name) => {
    const [, number] = /^lock\.(\d{1,15})$/.exec(name) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
}

/** Undefined if it was just removed, or was written by something else. */
function readOwner(path: string): { pid: number; started: unknown } | undefined {
  try {
    const owner: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof owner !== "object" || owner === null || !("pid" in owner) || !("started" in owner))
      return undefined;
    return typeof owner.pid === "number" ? { pid: owner.pid, started: owner.started } : undefined;
  } catch {
    return undefined;
  }
}

function isLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
