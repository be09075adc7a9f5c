import { Readable } from "node:stream";
import { type FileRecord, WrongSizeError } from "@muster/storage/files";
import type { FastifyRequest } from "fastify";
import type { GatewayFiles } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";

/** Throws unless the header of an upload is that of the announced file, before anything of its body is read. */
export function assertAnnounced({ headers }: FastifyRequest, { mediaType, size }: FileRecord): void {
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== mediaType) {
    throw new HttpProblem("UNSUPPORTED_CONTENT_TYPE", `Send the file with Content-Type: ${mediaType}.`);
  }
  const length = headers["content-length"];
  const isOfKnownLength = length !== undefined || headers["transfer-encoding"] === undefined;
  if (isOfKnownLength && Number(length ?? 0) !== size) throw wrongSize(size);
}

/** Stores the body of an upload while it arrives. Throws unless it is the announced file, and the first one. */
export async function receiveFile(
  { storage, disk }: Pick<GatewayFiles, "storage" | "disk">,
  request: FastifyRequest,
  record: FileRecord,
): Promise<void> {
  const body = bodyOf(request);
  try {
    if (!(await storage.put(record, body.chunks()))) throw usedUp();
  } catch (error) {
    if (disk.failed(error)) throw diskFull(error);
    throw error instanceof WrongSizeError ? wrongSize(record.size) : error;
  } finally {
    body.end();
  }
}

export function usedUp(): HttpProblem {
  return new HttpProblem(
    "FORBIDDEN",
    "This upload URL has been used: the file is stored. Request a new URL.",
  );
}

function diskFull(cause: unknown): HttpProblem {
  return new HttpProblem(
    "STORAGE_FULL",
    "The disk for uploaded files is full, and the file was not stored. Once its operator has freed space on it, send the file again to the same URL.",
    { retryAfterMs: 30_000, cause },
  );
}

function wrongSize(size: number): HttpProblem {
  return new HttpProblem("PAYLOAD_TOO_LARGE", `The body must have exactly ${size} bytes, as announced.`);
}

/** The body as chunks. They end with an error if the client leaves before all of it has arrived. */
function bodyOf({ body }: FastifyRequest) {
  if (!(body instanceof Readable)) return { chunks: nothing, end: () => undefined };
  return {
    // Ending the loop must not close the connection, which the response needs.
    chunks: () => body.iterator({ destroyOnReturn: false }),
    end: () => {
      // A client that is still sending reads the response only then.
      if (!body.destroyed) body.resume();
    },
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
