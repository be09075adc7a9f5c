import { type AddRoute, callFor } from "../../context.ts";
import { sendRevision } from "../../edge/http/revisions.ts";
import { identityProviderParams, identityProviderReply } from "../../schemas/identity-providers.ts";
import { identityProviderJson } from "./identity-provider-json.ts";

export const getIdentityProvider: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/identity-providers/:id",
    config: { sends: ["ETag"] },
    schema: {
      operationId: "getIdentityProvider",
      tags: ["Administration"],
      summary: "Read an identity provider",
      params: identityProviderParams,
      response: { 200: identityProviderReply },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const { identityProvider } = await context.auth.getIdentityProvider({ id }, callFor(context, request));
      return sendRevision(reply, identityProviderJson(identityProvider));
    },
  });
