import { type AddRoute, callFor } from "../../context.ts";
import { expectedRevisions } from "../../edge/http/revisions.ts";
import { ifMatch } from "../../schemas/common.ts";
import { deleteIdentityProviderReply, identityProviderParams } from "../../schemas/identity-providers.ts";

export const deleteIdentityProvider: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/identity-providers/:id",
    config: { errors: ["VERSION_MISMATCH"] },
    schema: {
      operationId: "deleteIdentityProvider",
      tags: ["Administration"],
      summary: "Delete an identity provider, whose tokens stop working everywhere",
      description: "Open streams of its tokens end with an `error` event. Deleting one twice succeeds.",
      params: identityProviderParams,
      headers: ifMatch,
      response: { 200: deleteIdentityProviderReply },
    },
    handler: async (request) => {
      const { id } = request.params;
      const message = { id, expectedRevisions: expectedRevisions(request) };
      await context.auth.deleteIdentityProvider(message, callFor(context, request));
      return { id, deleted: true };
    },
  });
