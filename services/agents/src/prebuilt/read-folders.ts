import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DefinitionSource } from "@muster/language";
import { readAgentFolder } from "@muster/language/folder";
import { shipped } from "@muster/service/shipped";

/** The agent folders that ship with this package. */
export const prebuiltDirectory = fileURLToPath(shipped("../../prebuilt", import.meta.url));

/** By slug. Throws if a folder is damaged. */
export async function readPrebuiltFolders(directory = prebuiltDirectory): Promise<DefinitionSource[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  return Promise.all(names.map((name) => readFolder(join(directory, name))));
}

async function readFolder(directory: string): Promise<DefinitionSource> {
  const result = await readAgentFolder(directory);
  if (result.ok) return result.definition;
  const problems = result.problems.map(({ path, message }) => `${path}: ${message}`).join(" ");
  throw new Error(`The pre-built agent in ${directory} cannot be read: ${problems}`);
}
