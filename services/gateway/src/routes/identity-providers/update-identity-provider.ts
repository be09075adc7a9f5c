import { type AddRoute, callFor } from "../../context.ts";
import { expectedRevisions, sendRevision } from "../../edge/http/revisions.ts";
import { ifMatch } from "../../schemas/common.ts";
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
    config: { errors: ["VERSION_MISMATCH"], sends: ["ETag"] },
    schema: {
      operationId: "updateIdentityProvider",
      tags: ["Administration"],
      summary: "Change an identity provider",
      description:
        "Its tokens are checked again everywhere at once. Open streams of its tokens end with an `error` event, and can be resumed with a token that is still accepted.",
      params: identityProviderParams,
      headers: ifMatch,
      body: updateIdentityProviderBody,
      response: { 200: identityProviderReply },
    },
    handler: async (request, reply) => {
      const { scope, jwksUri, ...body } = request.body;
      const { identityProvider } = await context.auth.updateIdentityProvider(
        {
          ...body,
          ...{ id: request.params.id, expectedRevisions: expectedRevisions(request) },
          ...(jwksUri === undefined ? {} : { jwksUri: jwksUri ?? "" }),
          ...(scope === undefined ? {} : { scope: await readScope(context, request, scope) }),
        },
        callFor(context, request),
      );
      return sendRevision(reply, identityProviderJson(identityProvider));
    },
  });
