import type { DefinitionSource } from "../index.ts";
import { promptPath, protocolFile, referencePath, settingsFile } from "./layout.ts";
import { renderReference } from "./reference-file.ts";
import { renderSettings } from "./settings-file.ts";

/** A file of an agent folder. */
export interface FileOfDefinition {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** The files of a definition in a canonical form: equal definitions produce equal files. */
export function filesOf({ settings, protocol, prompts, references }: DefinitionSource): FileOfDefinition[] {
  const byPath = (left: FileOfDefinition, right: FileOfDefinition) => (left.path < right.path ? -1 : 1);
  return [
    { path: settingsFile, text: renderSettings(settings) },
    { path: protocolFile, text: protocol },
    ...prompts.map(({ name, content }) => ({ path: promptPath(name), text: content })).sort(byPath),
    ...references
      .map((reference) => ({ path: referencePath(reference.name), text: renderReference(reference) }))
      .sort(byPath),
  ];
}
