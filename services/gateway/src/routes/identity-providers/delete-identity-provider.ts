import { type AddRoute, callFor } from "../../context.ts";
import { deleteIdentityProviderReply, identityProviderParams } from "../../schemas/identity-providers.ts";

export const deleteIdentityProvider: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/identity-providers/:id",
    schema: {
      operationId: "deleteIdentityProvider",
      tags: ["Administration"],
      summary: "Delete an identity provider, whose tokens stop working everywhere",
      description: "Open streams of its tokens end with an `error` event. Deleting one twice succeeds.",
      params: identityProviderParams,
      response: { 200: deleteIdentityProviderReply },
    },
    handler: async (request) => {
      const { id } = request.params;
      await context.auth.deleteIdentityProvider({ id }, callFor(context, request));
      return { id, deleted: true };
    },
  });
