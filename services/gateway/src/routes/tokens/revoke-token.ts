import { type AddRoute, callFor } from "../../context.ts";
import { badRequest } from "../../edge/errors/from-any.ts";
import { revokeTokenBody, revokeTokenReply } from "../../schemas/tokens.ts";

export const revokeToken: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/tokens/revoke",
    schema: {
      operationId: "revokeToken",
      tags: ["Tokens"],
      summary: "Revoke a token, which stops working everywhere",
      description:
        "Revoking a token twice succeeds. Any key of the project with the permission `mint-tokens` may revoke it; a key for one agent may revoke only tokens of that agent. Open streams of the token end with an `error` event.",
      body: revokeTokenBody,
      response: { 200: revokeTokenReply },
    },
    handler: async (request) => {
      const { token, jti } = request.body;
      if ((token === undefined) === (jti === undefined)) {
        throw badRequest("body", [{ path: "token", message: "must be given, or jti, but not both" }]);
      }
      const { revoked, tokenId } = await context.auth.revokeToken(
        { by: token === undefined ? { case: "tokenId", value: jti ?? "" } : { case: "token", value: token } },
        callFor(context, request),
      );
      return revoked ? { revoked, jti: tokenId } : { revoked };
    },
  });
