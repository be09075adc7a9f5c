import { type AddRoute, callFor } from "../../context.ts";
import { expectedRevisions } from "../../edge/http/revisions.ts";
import { ifMatch } from "../../schemas/common.ts";
import { deleteMcpServerReply, mcpServerParams } from "../../schemas/mcp-servers.ts";

export const deleteMcpServer: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/mcp-servers/:id",
    config: { errors: ["VERSION_MISMATCH"] },
    schema: {
      operationId: "deleteMcpServer",
      tags: ["Administration"],
      summary: "Delete an MCP server and its secrets",
      description: "Turns that begin later cannot use it, within 5 s. Deleting one twice succeeds.",
      params: mcpServerParams,
      headers: ifMatch,
      response: { 200: deleteMcpServerReply },
    },
    handler: async (request) => {
      const { id } = request.params;
      const message = { id, expectedRevisions: expectedRevisions(request) };
      await context.auth.deleteMcpServer(message, callFor(context, request));
      return { id, deleted: true };
    },
  });
