import { readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { homeDirectory } from "../files/limits.ts";

const files = {
  passwd: `root:x:0:0:root:/:/bin/sh\nagent:x:1000:1000:agent:${homeDirectory}:/bin/bash\n`,
  group: "root:x:0:\nagent:x:1000:\n",
  hosts: "127.0.0.1 localhost computer\n::1 localhost\n",
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
};

/** The files of `/etc` that are the same in every box. */
export async function writeEtc(folder: string): Promise<void> {
  await mkdir(folder);
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content);
    await chmod(join(folder, name), 0o644);
  }
  await chmod(folder, 0o755);
}

/** The release of a Linux system, such as "Debian GNU/Linux 12 (bookworm)". */
export function releaseOf(root: string): string {
  for (const path of ["usr/lib/os-release", "etc/os-release"]) {
    try {
      const found = /^PRETTY_NAME="?(.*?)"?$/m.exec(readFileSync(join(root, path), "utf8"));
      if (found?.[1]) return found[1];
    } catch {
      // Not every system has both.
    }
  }
  return "Linux";
}
