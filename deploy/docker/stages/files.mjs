import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

/** The files below a folder, as paths inside it. Leaves out `node_modules`; empty if the folder does not exist. */
export function filesBelow(folder) {
  const found = [];
  const waiting = [folder];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const entry of entriesOf(path)) {
      const entryPath = join(path, entry.name);
      if (entry.isFile()) found.push(relative(folder, entryPath));
      else if (entry.isDirectory() && entry.name !== "node_modules") waiting.push(entryPath);
    }
  }
  return found.sort();
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}
