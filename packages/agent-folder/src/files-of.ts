import type { DefinitionSource } from "@muster/protocol";
import { promptPath, protocolFile, referencePath, settingsFile } from "./layout.ts";
import { renderReference } from "./reference-file.ts";
import { renderSettings } from "./settings-file.ts";

/** A file of an agent folder. */
export interface FileOfDefinition {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** The files that a definition makes in an empty folder. Equal definitions make equal files, so they can be compared. */
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
