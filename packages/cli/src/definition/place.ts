import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Io } from "../io.ts";
import type { Located } from "./findings.ts";

/** Where the folder of a command line is: the working directory when it names none. */
export function locate({ cwd }: Io, folder = ".", base = cwd): Located {
  return { base, folder: resolve(cwd, folder) };
}

/**
 * The root of the repository that the working directory is in, because GitHub reads relative paths from there; where
 * there is none, the working directory.
 */
export function repositoryRoot({ cwd, env }: Io): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) break;
  }
  // On a runner without git the checkout has no .git.
  const workspace = env.GITHUB_WORKSPACE;
  return workspace && isAbsolute(workspace) && isWithin(workspace, cwd) ? workspace : cwd;
}

/** Whether an absolute path is a folder or something in it. */
export function isWithin(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
