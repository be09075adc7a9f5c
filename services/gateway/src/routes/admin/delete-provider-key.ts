import { type AddRoute, callFor } from "../../context.ts";
import { deleteProviderKeyReply, providerKeyParams } from "../../schemas/provider-keys.ts";
import { providerOf } from "./admin-json.ts";

export const deleteProviderKey: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/projects/:projectId/provider-keys/:provider",
    schema: {
      operationId: "deleteProviderKey",
      tags: ["Administration"],
      summary: "Delete the project's own key for a model provider",
      description:
        "Turns that begin later use the platform's key again, within 5 s. Deleting a key that does not exist succeeds.",
      params: providerKeyParams,
      response: { 200: deleteProviderKeyReply },
    },
    handler: async (request) => {
      const { projectId } = request.params;
      const provider = providerOf(request.params.provider);
      const { deleted } = await context.auth.deleteProviderKey(
        { projectId, provider },
        callFor(context, request),
      );
      return { provider, deleted };
    },
  });
