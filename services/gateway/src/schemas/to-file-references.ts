import type { Static } from "@muster/wire/schema";
import type { fileReference } from "./files.ts";

/** The files of a body for the request of an RPC. */
export function toFileReferences(files: ReadonlyArray<Static<typeof fileReference>> = []) {
  return files.map(({ id, mediaType, url, filename, size }) => ({
    ...{ id, mediaType, url },
    ...(filename !== undefined && { filename }),
    ...(size !== undefined && { size: BigInt(size) }),
  }));
}
