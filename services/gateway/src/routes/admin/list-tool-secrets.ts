import { type AddRoute, callFor } from "../../context.ts";
import { toolSecretListReply, toolSecretsParams } from "../../schemas/tool-hosts.ts";
import { toolSecretJson } from "./admin-json.ts";

export const listToolSecrets: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/projects/:projectId/tool-secrets",
    schema: {
      operationId: "listToolSecrets",
      tags: ["Administration"],
      summary: "List the hosts of HTTP tools for which the project has a secret",
      description: "Never returns the secrets themselves.",
      params: toolSecretsParams,
      response: { 200: toolSecretListReply },
    },
    handler: async (request) => {
      const { toolSecrets } = await context.auth.listToolSecrets(request.params, callFor(context, request));
      return { toolSecrets: toolSecrets.map(toolSecretJson) };
    },
  });
