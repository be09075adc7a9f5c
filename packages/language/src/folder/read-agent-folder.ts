import { type DefinitionSource, definitionLimits, isName, nameHint } from "../index.ts";
import { findFolder } from "./find-folder.ts";
import { findProtocol } from "./find-protocol.ts";
import {
  folderLimits,
  nameKinds,
  nameOfPath,
  promptsFolder,
  referencesFolder,
  settingsFile,
} from "./layout.ts";
import { listMarkdown } from "./list-markdown.ts";
import type { FolderProblem } from "./problems.ts";
import { parseReference } from "./reference-file.ts";
import { parseSettings } from "./settings-file.ts";
import { readText } from "./text-file.ts";

export type ReadResult =
  | {
      readonly ok: true;
      readonly definition: DefinitionSource;
      /** `protocol.yaml` or `protocol.yml`. */
      readonly protocolPath: string;
    }
  | { readonly ok: false; readonly problems: readonly FolderProblem[] };

/**
 * Reads an agent folder exactly: nothing is trimmed, and line breaks are kept. Prompts and references are sorted by
 * name. Reports every problem of the folder at once. The definition itself is checked by the compiler.
 */
export async function readAgentFolder(directory: string): Promise<ReadResult> {
  const problems: FolderProblem[] = [];
  const root = await findFolder(directory, problems);
  if (root === undefined) {
    if (problems.length === 0) problems.push({ path: ".", message: `${directory} does not exist.` });
    return { ok: false, problems };
  }
  const settingsText = await readText(root, settingsFile, folderLimits.settingsBytes, problems);
  const settings = settingsText === undefined ? undefined : parseSettings(settingsText, problems);
  const protocolPath = await findProtocol(root, problems);
  const protocol = await readText(root, protocolPath, definitionLimits.protocolBytes, problems);
  const prompts = await readPrompts(root, problems);
  const references = await readReferences(root, problems);
  if (problems.length > 0 || settings === undefined || protocol === undefined) return { ok: false, problems };
  return { ok: true, definition: { settings, protocol, prompts, references }, protocolPath };
}

async function readPrompts(root: string, problems: FolderProblem[]) {
  const prompts: Array<DefinitionSource["prompts"][number]> = [];
  for (const path of await listNamed(root, promptsFolder, definitionLimits.prompts, problems)) {
    const content = await readText(root, path, definitionLimits.promptBytes, problems);
    if (content !== undefined) prompts.push({ name: nameOfPath(path), content });
  }
  return prompts;
}

async function readReferences(root: string, problems: FolderProblem[]) {
  const references: Array<DefinitionSource["references"][number]> = [];
  const maxBytes = definitionLimits.referenceBytes + folderLimits.frontMatterBytes;
  for (const path of await listNamed(root, referencesFolder, definitionLimits.references, problems)) {
    const text = await readText(root, path, maxBytes, problems);
    const file = text === undefined ? undefined : parseReference(path, text, problems);
    if (file === undefined) continue;
    references.push({ name: nameOfPath(path), description: file.description, content: file.content });
  }
  return references;
}

/** Returns the files with valid names. Invalid names and too many files are reported. */
async function listNamed(
  root: string,
  folder: keyof typeof nameKinds,
  maxFiles: number,
  problems: FolderProblem[],
) {
  const paths = await listMarkdown(root, folder, problems);
  if (paths.length > maxFiles) {
    problems.push({
      path: folder,
      message: `${folder} contains ${paths.length} files; the maximum is ${maxFiles}.`,
    });
    return [];
  }
  return paths
    .filter((path) => {
      if (isName(nameKinds[folder], nameOfPath(path))) return true;
      problems.push({
        path,
        message: `The name of ${path} (without .md) must be ${nameHint(nameKinds[folder])}.`,
      });
      return false;
    })
    .sort((left, right) => (nameOfPath(left) < nameOfPath(right) ? -1 : 1));
}
