import { type AddRoute, callFor } from "../../context.ts";
import { deleteToolSecretReply, toolSecretParams } from "../../schemas/tool-hosts.ts";

export const deleteToolSecret: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/projects/:projectId/tool-secrets/:host",
    schema: {
      operationId: "deleteToolSecret",
      tags: ["Administration"],
      summary: "Delete the secret for a host of HTTP tools",
      description: "Deleting a secret that does not exist succeeds.",
      params: toolSecretParams,
      response: { 200: deleteToolSecretReply },
    },
    handler: async (request) => {
      const { deleted } = await context.auth.deleteToolSecret(request.params, callFor(context, request));
      return { host: request.params.host, deleted };
    },
  });
