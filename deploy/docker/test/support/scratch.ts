import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An empty folder that another user can read. `remove` also removes read-only files. */
export function makeScratch(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "muster-image-"));
  chmodSync(path, 0o755);
  const remove = () => {
    spawnSync("chmod", ["-R", "u+w", path]);
    rmSync(path, { recursive: true, force: true });
  };
  return { path, remove };
}
