import type { Readable } from "node:stream";
import { type FileRules, fileLimits, requestBytesOf } from "@muster/storage/files";
import { integer, list, object, optional, type Static, Type, text } from "@muster/wire/schema";
import { anyType } from "../edge/http/headers.ts";
import { body, idOf } from "./common.ts";
import { uploadUrlsExample } from "./examples.ts";

/** Refusals with codes of their own are not rules of the schema. `muster doctor` reads the extensions. */
const fileOf = ({ mediaTypes, maxBytes }: FileRules) =>
  object("FileToUpload", "A file that will be uploaded.", {
    filename: text("Its name, without path separators and control characters.", {
      minLength: 1,
      maxLength: fileLimits.filenameLength,
      pattern: "^[^/\\\\\\u0000-\\u001f\\u007f-\\u009f]*$",
    }),
    mediaType: text(`Its media type: ${mediaTypes.map((type) => `\`${type}\``).join(", ")}.`, {
      minLength: 1,
      maxLength: 255,
      "x-allowed": mediaTypes,
    }),
    size: integer(`Its exact size in bytes, at most ${maxBytes.toLocaleString("en")}.`, {
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      "x-maximum": maxBytes,
    }),
  });

const filesOf = (rules: FileRules) =>
  list(`The files, ${requestBytesOf(rules).toLocaleString("en")} bytes together at most.`, fileOf(rules), {
    minItems: 1,
    maxItems: fileLimits.files,
  });

export const agentUploadBody = (rules: FileRules) =>
  body(
    "UploadUrlsRequest",
    "The files to upload.",
    { files: uploadUrlsExample.files },
    { files: filesOf(rules) },
  );

export const sessionUploadBody = (rules: FileRules) =>
  body("SessionUploadUrlsRequest", "The files to upload, and their session.", uploadUrlsExample, {
    sessionId: idOf("The session that the files are for."),
    files: filesOf(rules),
  });

export const uploadUrlsReply = object(
  "UploadUrlsReply",
  "The URLs, which need no other credential: keep them secret.",
  {
    files: list(
      "In the order of the request.",
      object("UploadUrls", "Where to upload and download a file.", {
        id: text("The id of the file."),
        uploadUrl: text(
          "Where to PUT the content, with its media type as `Content-Type`. Works for 15 minutes, and for one successful upload.",
        ),
        downloadUrl: text("The `url` of a FileReference. Works for 24 hours, from the end of the upload on."),
      }),
    ),
  },
);

/** A file that a caller names. */
export const fileReference = object("FileReference", "A file.", {
  id: text("The id of the file.", { minLength: 1, maxLength: 200 }),
  mediaType: text("Its media type.", { minLength: 1, maxLength: 255 }),
  url: text("A download URL of this server, or a public https address.", { minLength: 1, maxLength: 2_000 }),
  filename: optional(text("Its name.", { minLength: 1, maxLength: 255 })),
  size: optional(integer("Its size in bytes.", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
});

export const fileParams = Type.Object({ fileId: text("The id of the file.") });

export const fileQuery = Type.Object({
  signature: optional(text("As in the URL that was issued.")),
});

/** In the reply, a stream. */
const content = Type.Unsafe<Readable>({
  type: "string",
  format: "binary",
  description: "The content.",
});

export const fileContent = ({ mediaTypes }: FileRules) => ({
  description: "The content.",
  content: Object.fromEntries([...mediaTypes, anyType].map((type) => [type, { schema: content }])),
});

export const stored = Type.Null({ description: "The file is stored, and the download URL works." });

/** The files of a body for the request of an RPC. */
export function toFileReferences(files: ReadonlyArray<Static<typeof fileReference>> = []) {
  return files.map(({ id, mediaType, url, filename, size }) => ({
    ...{ id, mediaType, url },
    ...(filename !== undefined && { filename }),
    ...(size !== undefined && { size: BigInt(size) }),
  }));
}
