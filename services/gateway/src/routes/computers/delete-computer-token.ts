import { type AddRoute, callFor } from "../../context.ts";
import { computerTokenParams, deletedComputerTokenReply } from "../../schemas/computers.ts";
import { tokenPlaces } from "./computer-json.ts";

export const deleteComputerToken: AddRoute = (app, context) => {
  for (const place of tokenPlaces)
    app.route({
      method: "DELETE",
      url: `${place.url}/:tokenId`,
      schema: {
        operationId: `delete${place.operation}`,
        tags: ["Computers"],
        summary: "Delete a token of a computer, which stops working everywhere",
        description: "An open connection ends within a second. Deleting a token twice succeeds.",
        params: computerTokenParams,
        response: { 200: deletedComputerTokenReply },
      },
      handler: async (request) => {
        const { id, tokenId } = request.params;
        await context.computers.deleteComputerToken(
          { computer: { case: place.case, value: id }, tokenId },
          callFor(context, request),
        );
        return { id: tokenId, deleted: true };
      },
    });
};
