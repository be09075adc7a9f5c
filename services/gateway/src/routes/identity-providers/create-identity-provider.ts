import { type AddRoute, callFor } from "../../context.ts";
import { sendRevision } from "../../edge/http/revisions.ts";
import { createIdentityProviderBody, identityProviderReply } from "../../schemas/identity-providers.ts";
import { identityProviderJson, readScope } from "./identity-provider-json.ts";

export const createIdentityProvider: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/identity-providers",
    config: { sends: ["ETag"] },
    schema: {
      operationId: "createIdentityProvider",
      tags: ["Administration"],
      summary: "Register an issuer (OpenID Connect) whose signed tokens are accepted",
      description:
        "Its tokens can do what `svc_et_…` tokens can. Configure the issuer, or its clients, to issue tokens for the generated `audience`. A project has at most 50.",
      body: createIdentityProviderBody,
      response: { 201: identityProviderReply },
    },
    handler: async (request, reply) => {
      const { scope, jwksUri, ...body } = request.body;
      const { identityProvider } = await context.auth.createIdentityProvider(
        {
          ...body,
          ...(jwksUri == null ? {} : { jwksUri }),
          scope: await readScope(context, request, scope),
        },
        callFor(context, request),
      );
      return reply.code(201).send(sendRevision(reply, identityProviderJson(identityProvider)));
    },
  });
