import { type AddRoute, callFor } from "../../context.ts";
import { projectParams, providerKeyListReply } from "../../schemas/provider-keys.ts";
import { providerKeyJson } from "./admin-json.ts";

export const listProviderKeys: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/projects/:projectId/provider-keys",
    schema: {
      operationId: "listProviderKeys",
      tags: ["Administration"],
      summary: "List the model providers for which the project has its own key",
      description: "Never returns the keys themselves.",
      params: projectParams,
      response: { 200: providerKeyListReply },
    },
    handler: async (request) => {
      const { projectId } = request.params;
      const { providerKeys } = await context.auth.listProviderKeys({ projectId }, callFor(context, request));
      return { providerKeys: providerKeys.map(providerKeyJson) };
    },
  });
