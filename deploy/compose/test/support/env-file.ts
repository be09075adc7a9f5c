import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { folder } from "./compose-file.ts";
import type { Variables } from "./interpolate.ts";

const script = "make-env.sh";

/** The variables that `sh make-env.sh` writes, made again in a folder of its own, in which `.env` may have some already. */
export function makeEnv(existing?: Variables): Variables {
  const directory = mkdtempSync(join(tmpdir(), "muster-compose-"));
  try {
    copyFileSync(join(folder, script), join(directory, script));
    const lines = Object.entries(existing ?? {}).flatMap(([name, value]) =>
      value ? [`${name}=${value}\n`] : [],
    );
    if (existing) writeFileSync(join(directory, ".env"), lines.join(""));
    execFileSync("sh", [join(directory, script)], { stdio: ["ignore", "ignore", "pipe"] });
    return parseEnv(readFileSync(join(directory, ".env"), "utf8"));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
