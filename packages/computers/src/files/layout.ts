import { homeDirectory } from "./limits.ts";
import type { Volume } from "./volume.ts";

/** Where the files of messages land. */
export const filesDirectory = `${homeDirectory}/files`;

/** The directories of a new computer. */
export function addLayout(volume: Volume): void {
  volume.makeDirectory("/tmp", { recursive: true, mode: 0o1777 });
  volume.makeDirectory(filesDirectory, { recursive: true });
}
