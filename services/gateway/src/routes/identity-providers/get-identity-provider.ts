import { type AddRoute, callFor } from "../../context.ts";
import { identityProviderParams, identityProviderReply } from "../../schemas/identity-providers.ts";
import { identityProviderJson } from "./identity-provider-json.ts";

export const getIdentityProvider: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/identity-providers/:id",
    schema: {
      operationId: "getIdentityProvider",
      tags: ["Administration"],
      summary: "Read an identity provider",
      params: identityProviderParams,
      response: { 200: identityProviderReply },
    },
    handler: async (request) => {
      const { id } = request.params;
      const { identityProvider } = await context.auth.getIdentityProvider({ id }, callFor(context, request));
      return identityProviderJson(identityProvider);
    },
  });
