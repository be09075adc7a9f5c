import { realpath, stat } from "node:fs/promises";
import { type FolderProblem, isMissing, reasonOf } from "./problems.ts";

/** Returns the real path of a folder; undefined if it does not exist, or, with a problem, if it is not a folder. */
export async function findFolder(directory: string, problems: FolderProblem[]): Promise<string | undefined> {
  try {
    const root = await realpath(directory);
    if ((await stat(root)).isDirectory()) return root;
    problems.push({ path: ".", message: `${directory} is not a folder.` });
  } catch (error) {
    if (!isMissing(error)) problems.push({ path: ".", message: `${directory} ${reasonOf(error)}` });
  }
  return undefined;
}
