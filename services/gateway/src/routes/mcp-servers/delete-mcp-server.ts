import { type AddRoute, callFor } from "../../context.ts";
import { deleteMcpServerReply, mcpServerParams } from "../../schemas/mcp-servers.ts";

export const deleteMcpServer: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/mcp-servers/:id",
    schema: {
      operationId: "deleteMcpServer",
      tags: ["Administration"],
      summary: "Delete an MCP server and its secrets",
      description: "Turns that begin later cannot use it, within 5 s. Deleting one twice succeeds.",
      params: mcpServerParams,
      response: { 200: deleteMcpServerReply },
    },
    handler: async (request) => {
      const { id } = request.params;
      await context.auth.deleteMcpServer({ id }, callFor(context, request));
      return { id, deleted: true };
    },
  });
