import { Readable } from "node:stream";
import type { AddRoute } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import { anyType, dispositionOf } from "../../edge/http/headers.ts";
import { endProgress } from "../../edge/limits/admission.ts";
import { fileContent, fileParams, fileQuery } from "../../schemas/files.ts";
import { filesOf } from "./issue-upload-urls.ts";

/** Whatever the content is, a browser runs nothing of it and blocks its access to everything. */
const protection = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
  "cache-control": "private, no-store",
} as const;

export const downloadFile: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/files/:fileId",
    config: {
      isCounted: true,
      produces: [...context.fileRules.mediaTypes, anyType],
      sends: ["Cache-Control", "Content-Disposition"],
      errors: ["FORBIDDEN", "NOT_FOUND", "UNAVAILABLE"],
    },
    schema: {
      operationId: "downloadFile",
      tags: ["Files"],
      summary: "Download a file from the URL that was issued for it",
      description:
        "404 before its upload has succeeded, and after it was removed. A URL that was altered or has expired is 403. Files that tools have made can have any media type.",
      params: fileParams,
      querystring: fileQuery,
      response: { 200: fileContent(context.fileRules) },
    },
    handler: async (request, reply) => {
      const { addresses, storage } = filesOf(context);
      const { signature } = request.query;
      const key = signature === undefined ? undefined : addresses.readDownload(signature);
      if (key === undefined || key.id !== request.params.fileId) {
        throw new HttpProblem("FORBIDDEN", "This download URL is wrong or has expired. Request a new one.");
      }
      const file = await storage.open(key);
      if (file === undefined) {
        throw new HttpProblem("NOT_FOUND", "The file has not been uploaded yet, or has been removed.");
      }
      const { mediaType, size, filename } = file.record;
      reply.headers({
        ...protection,
        "content-type": mediaType,
        "content-length": size,
        "content-disposition": dispositionOf(filename),
      });
      endProgress(request);
      if (request.method !== "HEAD" && !reply.raw.closed) return reply.send(file.read());
      await file.close();
      // Without a stream, Fastify would state another length.
      return reply.send(Readable.from([]));
    },
  });
