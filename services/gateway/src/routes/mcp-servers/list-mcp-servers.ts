import { type AddRoute, callFor } from "../../context.ts";
import { mcpServerListReply } from "../../schemas/mcp-servers.ts";
import { mcpServerJson } from "./mcp-server-json.ts";

export const listMcpServers: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/mcp-servers",
    schema: {
      operationId: "listMcpServers",
      tags: ["Administration"],
      summary: "List the MCP servers of the project, by slug",
      response: { 200: mcpServerListReply },
    },
    handler: async (request) => {
      const { mcpServers } = await context.auth.listMcpServers({}, callFor(context, request));
      return { mcpServers: mcpServers.map(mcpServerJson) };
    },
  });
