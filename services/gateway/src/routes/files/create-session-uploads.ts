import { View } from "@muster/proto/sessions";
import type { FastifyRequest } from "fastify";
import { type AddRoute, callFor, type GatewayContext } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import { sessionUploadBody, uploadUrlsReply } from "../../schemas/files.ts";
import { issueUploadUrls } from "./issue-upload-urls.ts";

export const createSessionUploads: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/files/upload-urls",
    config: {
      sends: ["Cache-Control"],
      errors: ["FILE_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "SESSION_EXPIRED"],
    },
    schema: {
      operationId: "createUploadUrls",
      tags: ["Files"],
      summary: "Get URLs to upload files for a session",
      description:
        "PUT each file to its `uploadUrl`, then use its `downloadUrl` as the `url` of a FileReference.",
      body: sessionUploadBody(context.fileRules),
      response: { 200: uploadUrlsReply },
    },
    handler: async (request, reply) => {
      const { sessionId, files } = request.body;
      await assertActive(context, request, sessionId);
      const issued = issueUploadUrls(context, request, sessionId, files);
      return reply.header("cache-control", "no-store").send(issued);
    },
  });

/** Throws NOT_FOUND or SESSION_EXPIRED, and FORBIDDEN outside the scope of the credential. */
async function assertActive(
  context: GatewayContext,
  request: FastifyRequest,
  sessionId: string,
): Promise<void> {
  const message = { sessionId, view: View.UI, limit: 1 };
  for await (const { session } of context.sessions.getSession(message, callFor(context, request))) {
    if (session === undefined) break;
    if (session.active) return;
    throw new HttpProblem("SESSION_EXPIRED", "The session has expired. Restore it first.");
  }
  throw internalProblem(new Error("GetSession returned no session"));
}
