import { type AddRoute, callFor } from "../../context.ts";
import { mcpServerParams, mcpServerReply, updateMcpServerBody } from "../../schemas/mcp-servers.ts";
import { mcpServerJson, readMcpAuth } from "./mcp-server-json.ts";

export const updateMcpServer: AddRoute = (app, context) =>
  app.route({
    method: "PATCH",
    url: "/api/admin/mcp-servers/:id",
    schema: {
      operationId: "updateMcpServer",
      tags: ["Administration"],
      summary: "Change an MCP server",
      description: "Turns that begin later use the change, within 5 s.",
      params: mcpServerParams,
      body: updateMcpServerBody,
      response: { 200: mcpServerReply },
    },
    handler: async (request) => {
      const { auth, headers, tools, ...body } = request.body;
      const { mcpServer } = await context.auth.updateMcpServer(
        {
          ...body,
          id: request.params.id,
          ...(auth && { auth: readMcpAuth(auth) }),
          ...(headers && { headers: { values: headers } }),
          ...(tools !== undefined && { tools: { patterns: tools ?? [] } }),
        },
        callFor(context, request),
      );
      return mcpServerJson(mcpServer);
    },
  });
