// Reads the lock file of this repository.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The libraries with these names and all that they need, without development dependencies, as paths of the lock file, such as
 * `node_modules/pino`. Those of other platforms are included.
 */
export function neededLibraries(source, names) {
  const { packages } = JSON.parse(readFileSync(join(source, "package-lock.json"), "utf8"));
  const needed = new Set();
  const waiting = names.map((name) => locate(packages, "", name));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (needed.has(path)) continue;
    needed.add(path);
    for (const name of dependenciesOf(packages[path])) {
      const found = locate(packages, path, name);
      if (found !== undefined) waiting.push(found);
    }
  }
  return [...needed].sort();
}

/** The folders of all workspaces, also of those that the image does not need: npm compares them with the lock file. */
export function allWorkspaces(source) {
  const { packages } = JSON.parse(readFileSync(join(source, "package-lock.json"), "utf8"));
  return Object.keys(packages).filter((path) => path !== "" && !path.includes("node_modules/"));
}

function dependenciesOf({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {}), ...peers];
}

/** Where Node finds a package that the one at `from` imports. Undefined for one that npm has left out. */
function locate(packages, from, name) {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = folder === "." || folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    const entry = packages[path];
    if (entry !== undefined) return path;
    if (folder === "." || folder === "") return undefined;
  }
}
