import type { FileRecord } from "@muster/storage/files";
import type { FastifyRequest } from "fastify";
import type { AddRoute, GatewayContext } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import type { App } from "../../edge/http/app.ts";
import { fileParams, fileQuery, stored } from "../../schemas/files.ts";
import { filesOf } from "./issue-upload-urls.ts";
import { assertAnnounced, receiveFile, usedUp } from "./receive-file.ts";

export const uploadFile: AddRoute = (app, context) => {
  // In a scope of its own: only here, a body is passed on as it arrives.
  void app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    addTo(scope, context);
  });
};

function addTo(app: App, context: GatewayContext): void {
  app.route({
    method: "PUT",
    url: "/api/files/:fileId",
    bodyLimit: context.fileRules.maxBytes,
    config: { isCounted: true, errors: ["FORBIDDEN", "NOT_FOUND", "UNAVAILABLE", "STORAGE_FULL"] },
    schema: {
      operationId: "uploadFile",
      tags: ["Files"],
      summary: "Upload a file to the URL that was issued for it",
      description:
        "Send the content with the announced media type as `Content-Type`, in exactly the announced size: 415 and 413 otherwise. A URL that was altered, has expired or was used is 403. An upload that fails can be repeated.",
      params: fileParams,
      querystring: fileQuery,
      response: { 204: stored },
    },
    onRequest: async (request) => {
      const record = recordOf(context, request);
      assertAnnounced(request, record);
      const earlier = await filesOf(context).storage.open(record);
      await earlier?.close();
      if (earlier !== undefined) throw usedUp();
    },
    handler: async (request, reply) => {
      await receiveFile(filesOf(context), request, recordOf(context, request));
      return reply.code(204).send(null);
    },
  });
}

/** Throws FORBIDDEN. */
function recordOf(context: GatewayContext, { params, query }: FastifyRequest): FileRecord {
  const { addresses } = filesOf(context);
  const { signature, fileId } = { ...partsOf(params), ...partsOf(query) };
  const record = typeof signature === "string" ? addresses.readUpload(signature) : undefined;
  if (record?.id === fileId && record !== undefined) return record;
  throw new HttpProblem("FORBIDDEN", "This upload URL is wrong or has expired. Request a new one.");
}

function partsOf(values: unknown): { fileId?: unknown; signature?: unknown } {
  return typeof values === "object" && values !== null ? values : {};
}
