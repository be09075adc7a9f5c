import { type AddRoute, callFor } from "../../context.ts";
import { identityProviderListReply } from "../../schemas/identity-providers.ts";
import { identityProviderJson } from "./identity-provider-json.ts";

export const listIdentityProviders: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/identity-providers",
    schema: {
      operationId: "listIdentityProviders",
      tags: ["Administration"],
      summary: "List the identity providers of the project, newest first",
      response: { 200: identityProviderListReply },
    },
    handler: async (request) => {
      const { identityProviders } = await context.auth.listIdentityProviders({}, callFor(context, request));
      return { identityProviders: identityProviders.map(identityProviderJson) };
    },
  });
