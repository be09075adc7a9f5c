import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where one attempt works, on the disk of this machine. */
export interface Workplace {
  timeline: string;
  /** Empty. */
  output: string;
  remove(): Promise<void>;
}

const prefix = "muster-recorder-";

export async function openWorkplace(): Promise<Workplace> {
  // Only this user can read it.
  const folder = await mkdtemp(join(tmpdir(), prefix));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  const output = join(folder, "output");
  try {
    await mkdir(output);
  } catch (error) {
    await remove();
    throw error;
  }
  return { timeline: join(folder, "timeline.jsonl"), output, remove };
}

/** Removes the remains of recorders that were killed before this time. */
export async function removeWorkplacesBefore(timeMs: number): Promise<void> {
  const found = await readdir(tmpdir());
  for (const name of found.filter((each) => each.startsWith(prefix))) {
    const path = join(tmpdir(), name);
    const { mtimeMs, uid } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY, uid: -1 }));
    // Other users share this folder.
    const isOwn = process.getuid === undefined || process.getuid() === uid;
    if (isOwn && mtimeMs < timeMs) await rm(path, { recursive: true, force: true });
  }
}
