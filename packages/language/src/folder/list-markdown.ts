import type { Dirent } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { folderLimits } from "./layout.ts";
import { type FolderProblem, isMissing, reasonOf } from "./problems.ts";

/**
 * Returns the sorted paths of all `*.md` files below a folder of the agent folder; none if it does not exist. Names that
 * begin with a dot belong to editors and systems and are ignored. A link to a folder is a problem: it can lead
 * anywhere, and back to a parent.
 */
export async function listMarkdown(
  root: string,
  folder: string,
  problems: FolderProblem[],
): Promise<string[]> {
  const found: string[] = [];
  const waiting = [folder];
  let seen = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = await entriesOf(root, next, next === folder, problems);
    seen += entries.length;
    if (seen > folderLimits.entries) {
      problems.push({ path: folder, message: `${folder} contains more than ${folderLimits.entries} files.` });
      return [];
    }
    for (const entry of entries) {
      const path = `${next}/${entry.name}`;
      if (entry.name.startsWith(".")) continue;
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.name.endsWith(".md")) found.push(path);
      else if (entry.isSymbolicLink() && (await isFolder(join(root, path))))
        problems.push({ path, message: `${path} is a link to a folder. Replace it with the folder itself.` });
    }
  }
  return found.sort();
}

async function entriesOf(
  root: string,
  path: string,
  mayLack: boolean,
  problems: FolderProblem[],
): Promise<Dirent[]> {
  try {
    const stat = await lstat(join(root, path));
    if (stat.isSymbolicLink()) {
      problems.push({ path, message: `${path} is a link to a folder. Replace it with the folder itself.` });
      return [];
    }
    return await readdir(join(root, path), { withFileTypes: true });
  } catch (error) {
    if (mayLack && isMissing(error)) return [];
    problems.push({ path, message: `${path} ${reasonOf(error)}` });
    return [];
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (target) => target.isDirectory(),
    () => false,
  );
}
