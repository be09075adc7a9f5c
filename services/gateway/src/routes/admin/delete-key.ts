import { type AddRoute, callFor } from "../../context.ts";
import { deleteKeyReply, keyParams } from "../../schemas/admin.ts";

export const deleteKey: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/keys/:id",
    schema: {
      operationId: "deleteKey",
      tags: ["Administration"],
      summary: "Delete an API key, which stops working everywhere",
      description: "Deleting a key twice succeeds.",
      params: keyParams,
      response: { 200: deleteKeyReply },
    },
    handler: async (request) => {
      const { id } = request.params;
      await context.auth.deleteApiKey({ id }, callFor(context, request));
      return { id, deleted: true };
    },
  });
