/** Where the parts of a definition stand, relative to the folder, with `/` on every platform. */
export const settingsFile = "settings.json";
export const protocolFile = "protocol.yaml";
export const promptsFolder = "prompts";
export const referencesFolder = "references";

/** What the server allows as well; what `definitionLimits` of the language do not say. */
export const folderLimits = {
  settingsBytes: 64 * 1024,
  frontMatterBytes: 16 * 1024,
  nameLength: 100,
  descriptionLength: 1_000,
  /** Entries of `prompts` or `references` that are looked at, folders and other files included. */
  entries: 5_000,
} as const;

export function promptPath(name: string): string {
  return `${promptsFolder}/${name}.md`;
}

export function referencePath(name: string): string {
  return `${referencesFolder}/${name}.md`;
}

/** How the files of a folder are named. */
export const nameKinds = { [promptsFolder]: "prompt", [referencesFolder]: "reference" } as const;

/** The name that a file in `prompts` or `references` gives its prompt or reference. */
export function nameOfPath(path: string): string {
  return path.slice(path.indexOf("/") + 1).replace(/\.md$/, "");
}
