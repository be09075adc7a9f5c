import { type AddRoute, callFor } from "../../context.ts";
import { agentUploadBody, uploadUrlsReply } from "../../schemas/files.ts";
import { workforceAgentParams } from "../../schemas/workforce.ts";
import { issueUploadUrls } from "../files/issue-upload-urls.ts";

export const createAgentUploads: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/workforce/agents/:agentId/files",
    config: { sends: ["Cache-Control"], errors: ["FILE_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] },
    schema: {
      operationId: "createAgentUploadUrls",
      tags: ["Workforce"],
      summary: "Get URLs to upload files for the agent's messages",
      description:
        "PUT each file to its `uploadUrl`, then use its `downloadUrl` as the `url` of a FileReference in a message to this agent.",
      params: workforceAgentParams,
      body: agentUploadBody(context.fileRules),
      response: { 200: uploadUrlsReply },
    },
    handler: async (request, reply) => {
      const { agentId } = request.params;
      await context.workforce.getAgent({ agentId }, callFor(context, request));
      const issued = issueUploadUrls(context, request, agentId, request.body.files);
      return reply.header("cache-control", "no-store").send(issued);
    },
  });
