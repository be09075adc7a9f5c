// The part of this repository that the image needs, read from its lock file.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Everything else is a dependency of these: the processes of the product, and the command that starts them. */
export const entries = ["@muster/serve", "@muster/cli"];

/**
 * The packages that an installation for production needs, without development dependencies, as paths of the lock file:
 * `workspaces` such as `packages/cli`, `libraries` such as `node_modules/pino`. Libraries of other platforms are included.
 */
export function neededPackages(source) {
  const { packages } = JSON.parse(readFileSync(join(source, "package-lock.json"), "utf8"));
  const needed = new Set();
  const waiting = entries.map((name) => locate(packages, "", name));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (needed.has(path)) continue;
    needed.add(path);
    for (const name of dependenciesOf(packages[path])) {
      const found = locate(packages, path, name);
      if (found !== undefined) waiting.push(found);
    }
  }
  const isLibrary = (path) => path.includes("node_modules/");
  const sorted = [...needed].sort();
  return { workspaces: sorted.filter((path) => !isLibrary(path)), libraries: sorted.filter(isLibrary) };
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
    if (entry !== undefined) return entry.link ? entry.resolved : path;
    if (folder === "." || folder === "") return undefined;
  }
}
