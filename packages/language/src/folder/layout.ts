/** Locations of the parts of a definition, relative to the folder, with `/` on every platform. */
export const settingsFile = "settings.json";
export const protocolFile = "protocol.yaml";
/** Read and written instead if it is the only one that exists. */
export const otherProtocolFile = "protocol.yml";
export const promptsFolder = "prompts";
export const referencesFolder = "references";

/** Limits in addition to the language's `definitionLimits`; the server has the same ones. */
export const folderLimits = {
  settingsBytes: 64 * 1024,
  frontMatterBytes: 16 * 1024,
  nameLength: 100,
  descriptionLength: 1_000,
  /** Entries read in `prompts` or `references`, including folders and other files. */
  entries: 5_000,
} as const;

export function promptPath(name: string): string {
  return `${promptsFolder}/${name}.md`;
}

export function referencePath(name: string): string {
  return `${referencesFolder}/${name}.md`;
}

/** The kinds of names in each folder. */
export const nameKinds = { [promptsFolder]: "prompt", [referencesFolder]: "reference" } as const;

/** The name of the prompt or reference in a file. */
export function nameOfPath(path: string): string {
  return path.slice(path.indexOf("/") + 1).replace(/\.md$/, "");
}
