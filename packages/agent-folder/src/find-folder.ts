import { realpath, stat } from "node:fs/promises";
import { type FolderProblem, isMissing, reasonOf } from "./problems.ts";

/** The real path of a folder. Undefined without a problem when there is nothing, with one when it is no folder. */
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
