import { type FileRules, filesUnset, pathOfFile, requestBytesOf } from "@muster/storage/files";
import type { FastifyRequest } from "fastify";
import { callerOf } from "../../auth/identity.ts";
import type { GatewayContext, GatewayFiles } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import { baseUrlOf } from "../../edge/http/headers.ts";

interface Announced {
  filename: string;
  mediaType: string;
  size: number;
}

interface Issued {
  id: string;
  uploadUrl: string;
  downloadUrl: string;
}

/** Signs the URLs of files that belong to a session or a workforce agent of the caller's project. Nothing is stored. */
export function issueUploadUrls(
  context: GatewayContext,
  request: FastifyRequest,
  ownerId: string,
  announced: readonly Announced[],
): { files: Issued[] } {
  const { addresses } = filesOf(context);
  const { fileRules } = context;
  for (const [index, file] of announced.entries()) assertAllowed(fileRules, file, index);
  const bytes = announced.reduce((sum, { size }) => sum + size, 0);
  const maxBytes = requestBytesOf(fileRules);
  if (bytes > maxBytes) throw tooLarge(`The files have ${bytes} bytes together`, maxBytes);
  const base = context.publicUrl ?? baseUrlOf(request);
  if (base === undefined) throw new HttpProblem("INVALID_REQUEST", "Send a valid Host header.");
  const { projectId } = callerOf(request).principal;
  const files = announced.map(({ filename, mediaType, size }) => {
    const record = { projectId, ownerId, id: context.newId("file"), filename, mediaType, size };
    const { id } = record;
    return {
      id,
      uploadUrl: base + pathOfFile({ id, signature: addresses.signUpload(record) }),
      downloadUrl: base + pathOfFile({ id, signature: addresses.signDownload(record) }),
    };
  });
  return { files };
}

function assertAllowed(
  { mediaTypes, maxBytes }: FileRules,
  { mediaType, size }: Announced,
  index: number,
): void {
  if (!mediaTypes.includes(mediaType)) {
    const message = `files.${index}.mediaType must be one of ${mediaTypes.join(", ")}.`;
    throw new HttpProblem("UNSUPPORTED_MEDIA_TYPE", message);
  }
  if (size > maxBytes) throw tooLarge(`files.${index} has ${size} bytes`, maxBytes);
}

function tooLarge(what: string, limit: number): HttpProblem {
  return new HttpProblem("FILE_TOO_LARGE", `${what}; the limit is ${limit}.`);
}

/** Throws UNAVAILABLE if none are configured. */
export function filesOf({ files }: Pick<GatewayContext, "files">): GatewayFiles {
  if (files === undefined) throw new HttpProblem("UNAVAILABLE", filesUnset);
  return files;
}
