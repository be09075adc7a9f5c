import { type AddRoute, callFor } from "../../context.ts";
import { computerParams, deletedComputerReply } from "../../schemas/computers.ts";

export const deleteComputer: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/computers/:id",
    config: { errors: ["COMPUTER_IN_USE"] },
    schema: {
      operationId: "deleteComputer",
      tags: ["Computers"],
      summary: "Delete a shared computer that no agent uses",
      description: "Its tokens stop working and its connection ends.",
      params: computerParams,
      response: { 200: deletedComputerReply },
    },
    handler: async (request) => {
      const { id: computerId } = request.params;
      await context.computers.deleteComputer({ computerId }, callFor(context, request));
      return { id: computerId, deleted: true };
    },
  });
