import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Where a file or folder of the repository lies that a process needs beside its own modules: one that a thread or a process
 * runs, or data. `path`: from the module at `url`. In the bundle all of them lie beside the modules. The build finds the
 * calls of this function by their text: a literal path, and `import.meta.url`. If all tests run, threads and processes run the
 * bundle in the folder TEST_BUNDLE, which loads in half the time.
 */
export function shipped(path: string, url: string): URL {
  const name = basename(path).replace(/\.ts$/, ".mjs");
  if (!url.endsWith(".ts")) return new URL(name, url);
  const { TEST_BUNDLE } = process.env;
  return TEST_BUNDLE && path.endsWith(".ts") ? pathToFileURL(join(TEST_BUNDLE, name)) : new URL(path, url);
}
