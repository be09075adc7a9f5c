import { type AddRoute, callFor } from "../../context.ts";
import { expectedRevisions, sendRevision } from "../../edge/http/revisions.ts";
import { ifMatch } from "../../schemas/common.ts";
import { mcpServerParams, mcpServerReply, updateMcpServerBody } from "../../schemas/mcp-servers.ts";
import { mcpServerJson, readMcpAuth } from "./mcp-server-json.ts";

export const updateMcpServer: AddRoute = (app, context) =>
  app.route({
    method: "PATCH",
    url: "/api/admin/mcp-servers/:id",
    config: { errors: ["VERSION_MISMATCH"], sends: ["ETag"] },
    schema: {
      operationId: "updateMcpServer",
      tags: ["Administration"],
      summary: "Change an MCP server",
      description: "Turns that begin later use the change, within 5 s.",
      params: mcpServerParams,
      headers: ifMatch,
      body: updateMcpServerBody,
      response: { 200: mcpServerReply },
    },
    handler: async (request, reply) => {
      const { auth, headers, tools, ...body } = request.body;
      const { mcpServer } = await context.auth.updateMcpServer(
        {
          ...body,
          ...{ id: request.params.id, expectedRevisions: expectedRevisions(request) },
          ...(auth && { auth: readMcpAuth(auth) }),
          ...(headers && { headers: { values: headers } }),
          ...(tools !== undefined && { tools: { patterns: tools ?? [] } }),
        },
        callFor(context, request),
      );
      return sendRevision(reply, mcpServerJson(mcpServer));
    },
  });
