import { type AddRoute, callFor } from "../../context.ts";
import { computerTokenListReply, computerTokensParams } from "../../schemas/computers.ts";
import { optionalIsoOf } from "../../schemas/iso.ts";
import { computerTokenJson, tokenPlaces } from "./computer-json.ts";

export const listComputerTokens: AddRoute = (app, context) => {
  for (const place of tokenPlaces)
    app.route({
      method: "GET",
      url: `${place.url}`,
      schema: {
        operationId: `list${place.operation}s`,
        tags: ["Computers"],
        summary: "List the tokens of a computer, newest first, without their secrets",
        description: "Deleted tokens are not listed.",
        params: computerTokensParams,
        response: { 200: computerTokenListReply },
      },
      handler: async (request) => {
        const { tokens } = await context.computers.listComputerTokens(
          { computer: { case: place.case, value: request.params.id } },
          callFor(context, request),
        );
        return {
          tokens: tokens.map((token) => ({
            ...computerTokenJson(token),
            lastUsedAt: optionalIsoOf(token.lastUsedAt),
          })),
        };
      },
    });
};
