import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const bin = realpathSync(fileURLToPath(new URL("muster.mjs", import.meta.url)));
const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");

/**
 * Returns how the user started the command, so that hints can be pasted: `muster` if it is on the PATH, else with npx,
 * npm or node. `cwd` is the folder of the user.
 */
export function programName(env, cwd) {
  // In a published package the folders above are not those of the repository, and the script is another project's.
  const isInRepository = existsSync(join(root, "packages/cli"));
  if (env.npm_lifecycle_event === "muster" && isInRepository) {
    const prefix = relative(cwd, root);
    return prefix === "" ? "npm run -s muster --" : `npm --prefix ${quote(prefix)} run -s muster --`;
  }
  // npx puts the folder of the command on the PATH of this process, but not on that of the user's shell. Outside of the
  // repository, it would download the package `muster`, which is another project's.
  if (env.npm_command === "exec" && !isInRepository) return "npx @muster/cli";
  if (env.npm_command === "exec" && `${cwd}/`.startsWith(`${root}/`)) return "npx muster";
  if (env.npm_lifecycle_event === undefined && isOnPath(env.PATH ?? "")) return "muster";
  return `node ${quote(relative(cwd, bin))}`;
}

function isOnPath(path) {
  const found = path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, "muster"))
    .find(isExecutable);
  return found !== undefined && realpathSync(found) === bin;
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function quote(path) {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
