import { type AddRoute, callFor } from "../../context.ts";
import {
  identityProviderParams,
  identityProviderReply,
  updateIdentityProviderBody,
} from "../../schemas/identity-providers.ts";
import { identityProviderJson, readScope } from "./identity-provider-json.ts";

export const updateIdentityProvider: AddRoute = (app, context) =>
  app.route({
    method: "PATCH",
    url: "/api/admin/identity-providers/:id",
    schema: {
      operationId: "updateIdentityProvider",
      tags: ["Administration"],
      summary: "Change an identity provider",
      description:
        "Its tokens are checked again everywhere at once. Open streams of its tokens end with an `error` event, and can be resumed with a token that is still accepted.",
      params: identityProviderParams,
      body: updateIdentityProviderBody,
      response: { 200: identityProviderReply },
    },
    handler: async (request) => {
      const { scope, jwksUri, ...body } = request.body;
      const { identityProvider } = await context.auth.updateIdentityProvider(
        {
          ...body,
          id: request.params.id,
          ...(jwksUri === undefined ? {} : { jwksUri: jwksUri ?? "" }),
          ...(scope === undefined ? {} : { scope: await readScope(context, request, scope) }),
        },
        callFor(context, request),
      );
      return identityProviderJson(identityProvider);
    },
  });
