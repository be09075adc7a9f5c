import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DefinitionSource } from "../index.ts";
import { type FileChange, planAgentFolder } from "./plan-agent-folder.ts";
import { type FolderProblem, isMissing, reasonOf } from "./problems.ts";

export type WriteResult =
  | { readonly ok: true; readonly changes: readonly FileChange[] }
  | { readonly ok: false; readonly problems: readonly FolderProblem[] };

/**
 * Writes a definition to a folder, which is created if needed. Files with the same meaning keep every byte; `*.md`
 * files in `prompts` and `references` that the definition does not have are removed; other files are not touched.
 * Each file is replaced atomically. If one cannot be written, the files before it have been, and the problem names it.
 */
export async function writeAgentFolder(
  directory: string,
  definition: DefinitionSource,
): Promise<WriteResult> {
  const plan = await planAgentFolder(directory, definition);
  if (!plan.ok) return plan;
  for (const change of plan.changes) {
    try {
      if (change.kind === "delete") await removeFile(directory, change.path);
      else await replaceFile(directory, change.path, change.after);
    } catch (error) {
      return { ok: false, problems: [{ path: change.path, message: `${change.path} ${reasonOf(error)}` }] };
    }
  }
  return plan;
}

/** Writes to a temporary file and renames it, so that readers never see a partial file. A link is replaced. */
async function replaceFile(directory: string, path: string, text: string): Promise<void> {
  const target = join(directory, path);
  const folder = dirname(target);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `.${randomUUID()}.tmp`);
  try {
    const mode = await modeOf(target);
    await writeFile(temporary, text, { flag: "wx" });
    if (mode !== undefined) await chmod(temporary, mode);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The permissions of an existing file. */
async function modeOf(target: string): Promise<number | undefined> {
  try {
    const stat = await lstat(target);
    return stat.isFile() ? stat.mode & 0o7777 : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Removes a file and any folders left empty, up to `prompts` or `references`. */
async function removeFile(directory: string, path: string): Promise<void> {
  await rm(join(directory, path), { force: true });
  for (let folder = dirname(path); folder.includes("/"); folder = dirname(folder)) {
    if ((await readdir(join(directory, folder))).length > 0) return;
    await rmdir(join(directory, folder));
  }
}
