import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type DefinitionSource, isName, nameHint } from "../index.ts";
import { type FileOfDefinition, filesOf } from "./files-of.ts";
import { findFolder } from "./find-folder.ts";
import { findProtocol } from "./find-protocol.ts";
import {
  promptPath,
  promptsFolder,
  protocolFile,
  referencePath,
  referencesFolder,
  settingsFile,
} from "./layout.ts";
import { listMarkdown } from "./list-markdown.ts";
import { type FolderProblem, isMissing, reasonOf } from "./problems.ts";
import { descriptionProblem, updateReference } from "./reference-file.ts";
import { settingProblems, updateSettings } from "./settings-file.ts";
import { readText, textProblem } from "./text-file.ts";

/** The effect of writing on one file. A file with the same meaning has no change. */
export type FileChange =
  | { readonly kind: "create"; readonly path: string; readonly after: string }
  | { readonly kind: "update"; readonly path: string; readonly before: string; readonly after: string }
  | { readonly kind: "delete"; readonly path: string; readonly before: string };

export type FolderPlan =
  | { readonly ok: true; readonly changes: readonly FileChange[] }
  | { readonly ok: false; readonly problems: readonly FolderProblem[] };

/** Plans `writeAgentFolder` without changing anything. A folder that does not exist counts as empty. */
export async function planAgentFolder(directory: string, definition: DefinitionSource): Promise<FolderPlan> {
  const problems = definitionProblems(definition);
  if (problems.length > 0) return { ok: false, problems };
  const root = await findFolder(directory, problems);
  const files = await filesIn(root, definition, problems);
  const changes: FileChange[] = [];
  if (root === undefined) {
    for (const { path, text } of files) changes.push({ kind: "create", path, after: text });
  } else {
    for (const file of files) changes.push(...(await planFile(root, file, definition, problems)));
    changes.push(...(await planRemovals(root, new Set(files.map(({ path }) => path)), problems)));
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, changes };
}

/** The files of a definition under the names that they have in the folder. */
async function filesIn(
  root: string | undefined,
  definition: DefinitionSource,
  problems: FolderProblem[],
): Promise<FileOfDefinition[]> {
  const files = filesOf(definition);
  if (root === undefined) return files;
  const protocolPath = await findProtocol(root, problems);
  return files.map((file) => (file.path === protocolFile ? { ...file, path: protocolPath } : file));
}

async function planFile(
  root: string,
  { path, text }: FileOfDefinition,
  definition: DefinitionSource,
  problems: FolderProblem[],
): Promise<FileChange[]> {
  const current = await currentFile(root, path, problems);
  if (!current.exists) return [{ kind: "create", path, after: text }];
  const { text: before } = current;
  if (before === undefined) return [{ kind: "update", path, before: "", after: text }];
  const after = updated(path, before, text, definition);
  return after === before ? [] : [{ kind: "update", path, before, after }];
}

async function planRemovals(
  root: string,
  wanted: ReadonlySet<string>,
  problems: FolderProblem[],
): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  for (const folder of [promptsFolder, referencesFolder]) {
    for (const path of await listMarkdown(root, folder, problems)) {
      if (wanted.has(path)) continue;
      const { text = "" } = await currentFile(root, path, problems);
      changes.push({ kind: "delete", path, before: text });
    }
  }
  return changes;
}

function updated(path: string, before: string, text: string, definition: DefinitionSource): string {
  if (path === settingsFile) return updateSettings(before, definition.settings);
  const reference = definition.references.find(({ name }) => referencePath(name) === path);
  return reference === undefined ? text : updateReference(before, reference);
}

/** Whether the file exists, and its text if that could be part of a definition. Links are followed. */
async function currentFile(
  root: string,
  path: string,
  problems: FolderProblem[],
): Promise<{ exists: boolean; text?: string | undefined }> {
  try {
    const stat = await lstat(join(root, path));
    if (stat.isFile() || stat.isSymbolicLink()) {
      // Problems of its text do not matter, because the file will be replaced.
      return { exists: true, text: await readText(root, path, comparableBytes, []) };
    }
    problems.push({ path, message: `${path} is not a regular file. Move or remove it.` });
  } catch (error) {
    if (!isMissing(error)) problems.push({ path, message: `${path} ${reasonOf(error)}` });
  }
  return { exists: false };
}

/** Every file of a definition is smaller, so a larger file differs. */
const comparableBytes = 1024 * 1024;

/** Problems of a definition that a folder cannot represent exactly. */
function definitionProblems({ settings, protocol, prompts, references }: DefinitionSource): FolderProblem[] {
  const found: FolderProblem[] = settingProblems(settings).map(({ message }) => ({
    path: settingsFile,
    message,
  }));
  const texts: Array<[path: string, text: string]> = [
    [settingsFile, settings.slug],
    [protocolFile, protocol],
  ];
  const names = new Set<string>();
  const addItem = (kind: "prompt" | "reference", path: string, name: string, text: string) => {
    if (!isName(kind, name))
      found.push({ path, message: `The name ${JSON.stringify(name)} must be ${nameHint(kind)}.` });
    if (names.has(path)) found.push({ path, message: `The name ${JSON.stringify(name)} appears twice.` });
    names.add(path);
    texts.push([path, text]);
  };
  for (const { name, content } of prompts) addItem("prompt", promptPath(name), name, content);
  for (const { name, description, content } of references) {
    const path = referencePath(name);
    addItem("reference", path, name, content);
    const message = descriptionProblem(description) ?? textProblem(description);
    if (message !== undefined) found.push({ path, message });
  }
  for (const [path, text] of texts) {
    const message = textProblem(text);
    if (message !== undefined) found.push({ path, message });
  }
  return found;
}
