// Tests write thousands of small databases. On a disk, each commit waits until it is written there, which no test can notice
// except by its time.
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

const memory = "/dev/shm";
const prefix = "muster-tests-";
/** Linux's number of a file system in memory. */
const tmpfs = 0x01021994;
/** Many times what the tests need at once. */
const neededBytes = 2 * 1024 ** 3;

/** A new folder in memory, which the caller removes. Undefined if the system has none with enough space. */
export function makeScratchFolder() {
  try {
    removeAbandoned(memory);
    const { type, bavail, bsize } = statfsSync(memory);
    if (type !== tmpfs || bavail * bsize < neededBytes) return undefined;
    const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`));
    // The users of sandboxes pass through it to their home directories.
    chmodSync(folder, 0o711);
    return folder;
  } catch {
    return undefined;
  }
}

/** Removes the folders of runs that were killed. */
export function removeAbandoned(parent) {
  for (const name of readdirSync(parent)) {
    const [, pid] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) {
      rmSync(join(parent, name), { recursive: true, force: true });
    }
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
