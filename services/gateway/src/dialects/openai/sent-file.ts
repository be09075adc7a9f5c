import { ownFile } from "@muster/storage/files";
import type { GatewayContext } from "../../context.ts";
import { invalid } from "./refusals.ts";

/** A file of a message, as the API takes it. */
export interface SentFile {
  id: string;
  mediaType: string;
  url: string;
  filename?: string;
}

const typeOfExtension: Readonly<Record<string, string>> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
  json: "application/json",
};

/**
 * A file by its URL. These dialects do not say its type, which is that of the upload, or follows from the end of its name.
 * Throws INVALID_REQUEST.
 */
export async function sentFile(
  { files }: Pick<GatewayContext, "files">,
  { url, filename, path }: { url: string; filename?: string | undefined; path: string },
): Promise<SentFile> {
  if (url.startsWith("data:"))
    throw invalid(path, "must not be a data: URL; upload the file, and send its download URL");
  const named = { url, ...(filename !== undefined && { filename }) };
  const key = ownFile(files, url);
  const stored = key && (await files?.storage.open(key));
  await stored?.close();
  if (stored !== undefined) return { ...named, id: stored.record.id, mediaType: stored.record.mediaType };
  const name = filename ?? URL.parse(url)?.pathname ?? "";
  const mediaType = typeOfExtension[name.split(".").at(-1)?.toLowerCase() ?? ""];
  if (mediaType === undefined)
    throw invalid(
      path,
      `must end with one of .${Object.keys(typeOfExtension).join(", .")}, which say its type`,
    );
  return { ...named, id: url.slice(-200), mediaType };
}
