import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Io } from "../process-io.ts";

/** An agent folder, and the folder that file names in findings are relative to. */
export interface Located {
  /** Absolute: the working directory, or the root of the repository. */
  readonly base: string;
  /** The agent folder, absolute. */
  readonly folder: string;
}

/** Resolves a folder from the command line; the default is the working directory. */
export function locate({ cwd }: Io, folder = ".", base = cwd): Located {
  return { base, folder: resolve(cwd, folder) };
}

/**
 * The root of the repository that contains the working directory, because GitHub resolves relative paths from there.
 * Outside a repository, the working directory.
 */
export function repositoryRoot({ cwd, env }: Io): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) break;
  }
  // On a runner without git, the checkout has no .git.
  const workspace = env.GITHUB_WORKSPACE;
  return workspace && isAbsolute(workspace) && isWithin(workspace, cwd) ? workspace : cwd;
}

/** Whether an absolute path is the folder itself or lies inside it. */
export function isWithin(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
