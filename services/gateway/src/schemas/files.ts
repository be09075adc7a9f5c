import type { Readable } from "node:stream";
import { type FileRules, fileLimits, requestBytesOf } from "@muster/storage/files";
import { Type } from "@muster/wire/schema";
import { idField, text } from "./common.ts";
import { uploadUrlsExample } from "./examples.ts";

/** Refusals with codes of their own are not rules of the schema. `muster doctor` reads the extensions. */
const fileOf = ({ mediaTypes, maxBytes }: FileRules) =>
  Type.Object(
    {
      filename: Type.String({
        minLength: 1,
        maxLength: fileLimits.filenameLength,
        pattern: "^[^/\\\\\\u0000-\\u001f\\u007f-\\u009f]*$",
        description: "Its name, without path separators and control characters.",
      }),
      mediaType: Type.String({
        minLength: 1,
        maxLength: 255,
        description: `Its media type: ${mediaTypes.map((type) => `\`${type}\``).join(", ")}.`,
        "x-allowed": mediaTypes,
      }),
      size: Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: `Its exact size in bytes, at most ${maxBytes.toLocaleString("en")}.`,
        "x-maximum": maxBytes,
      }),
    },
    { title: "FileToUpload", description: "A file that will be uploaded." },
  );

const filesOf = (rules: FileRules) =>
  Type.Array(fileOf(rules), {
    minItems: 1,
    maxItems: fileLimits.files,
    description: `The files, ${requestBytesOf(rules).toLocaleString("en")} bytes together at most.`,
  });

export const agentUploadBody = (rules: FileRules) =>
  Type.Object(
    { files: filesOf(rules) },
    {
      title: "UploadUrlsRequest",
      description: "The files to upload.",
      examples: [{ files: uploadUrlsExample.files }],
    },
  );

export const sessionUploadBody = (rules: FileRules) =>
  Type.Object(
    { sessionId: { ...idField, description: "The session that the files are for." }, files: filesOf(rules) },
    {
      title: "SessionUploadUrlsRequest",
      description: "The files to upload, and their session.",
      examples: [uploadUrlsExample],
    },
  );

export const uploadUrlsReply = Type.Object(
  {
    files: Type.Array(
      Type.Object(
        {
          id: text("The id of the file."),
          uploadUrl: text(
            "Where to PUT the content, with its media type as `Content-Type`. Works for 15 minutes, and for one successful upload.",
          ),
          downloadUrl: text(
            "The `url` of a FileReference. Works for 24 hours, from the end of the upload on.",
          ),
        },
        { title: "UploadUrls", description: "Where to upload and download a file." },
      ),
      { description: "In the order of the request." },
    ),
  },
  { title: "UploadUrlsReply", description: "The URLs, which need no other credential: keep them secret." },
);

/** A file that a caller names. */
export const fileReference = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 200, description: "The id of the file." }),
    mediaType: Type.String({ minLength: 1, maxLength: 255, description: "Its media type." }),
    url: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: "A download URL of this server, or a public https address.",
    }),
    filename: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "Its name." })),
    size: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "Its size in bytes." }),
    ),
  },
  { title: "FileReference", description: "A file." },
);

export const fileParams = Type.Object({ fileId: text("The id of the file.") });

export const fileQuery = Type.Object({
  signature: Type.Optional(text("As in the URL that was issued.")),
});

/** In the reply, a stream. */
const content = Type.Unsafe<Readable>({
  type: "string",
  format: "binary",
  description: "The content.",
});

export const fileContent = ({ mediaTypes }: FileRules) => ({
  description: "The content.",
  content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: content }])),
});

export const stored = Type.Null({ description: "The file is stored, and the download URL works." });
