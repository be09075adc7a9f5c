import { type AddRoute, callFor } from "../../context.ts";
import { sendRevision } from "../../edge/http/revisions.ts";
import { mcpServerParams, mcpServerReply } from "../../schemas/mcp-servers.ts";
import { mcpServerJson } from "./mcp-server-json.ts";

export const getMcpServer: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/mcp-servers/:id",
    config: { sends: ["ETag"] },
    schema: {
      operationId: "getMcpServer",
      tags: ["Administration"],
      summary: "Read an MCP server",
      params: mcpServerParams,
      response: { 200: mcpServerReply },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const { mcpServer } = await context.auth.getMcpServer({ id }, callFor(context, request));
      return sendRevision(reply, mcpServerJson(mcpServer));
    },
  });
