import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a directory and its missing parents, accessible by their owner only. Returns the topmost one that it created.
 * Node's `recursive` never returns where the file system reports ENOENT below an existing directory, as `/proc` does.
 */
export function makeDirectory(directory: string): string | undefined {
  const missing: string[] = [];
  for (let path = directory; !existsSync(path) && path !== dirname(path); path = dirname(path)) {
    missing.unshift(path);
  }
  for (const path of missing) {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      // Another process may have just created it.
      if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
    }
  }
  return missing[0];
}
