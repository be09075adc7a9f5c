import { basename } from "node:path";

/**
 * Where a file or folder of the repository lies that a process needs beside its own modules: one that a thread or a process
 * runs, or data. `path`: from the module at `url`. In the bundle all of them lie beside the modules. The build finds the
 * calls of this function by their text: a literal path, and `import.meta.url`.
 */
export function shipped(path: string, url: string): URL {
  return url.endsWith(".ts") ? new URL(path, url) : new URL(basename(path).replace(/\.ts$/, ".mjs"), url);
}
