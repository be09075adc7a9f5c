import type { FileReference } from "@muster/proto/workforce";
import { Issues } from "@muster/rpc";
import type { StoredFile } from "../store/thread-document.ts";
import { checkStorable } from "./texts.ts";

const maxFiles = 20;
const maxIdLength = 200;
const maxUrlLength = 2_000;
const maxFilenameLength = 255;
const mediaType = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(?:\s*;.{0,200})?$/;

/** The files of a message. Whether the platform may fetch an address is decided where it fetches. */
export function readFiles(issues: Issues, files: readonly FileReference[]): StoredFile[] {
  if (files.length > maxFiles) {
    issues.add("files", `must have at most ${maxFiles} entries`);
    return [];
  }
  return files.map((file, index) => readFile(new Issues(issues, `files.${index}`), file));
}

function readFile(issues: Issues, { id, mediaType: type, url, filename, size }: FileReference): StoredFile {
  issues.checkLength("id", id, { min: 1, max: maxIdLength });
  checkStorable(issues, "id", id);
  if (!mediaType.test(type)) issues.add("mediaType", "must be a MIME type such as text/csv");
  issues.checkLength("url", url, { min: 1, max: maxUrlLength });
  if (url !== "" && !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    issues.add("url", "must be an http or https address");
  }
  if (filename !== undefined) checkFilename(issues, filename);
  return {
    id,
    mediaType: type,
    url,
    ...(filename !== undefined && { filename }),
    ...(size !== undefined && { size: Number(size) }),
  };
}

function checkFilename(issues: Issues, filename: string): void {
  issues.checkLength("filename", filename, { min: 1, max: maxFilenameLength });
  if (/[/\\\p{Cc}]/u.test(filename) || !filename.isWellFormed()) {
    issues.add("filename", "must not contain path separators or control characters");
  }
}
