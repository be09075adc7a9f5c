import { type AddRoute, callFor } from "../../context.ts";
import { computerParams, computerReply } from "../../schemas/computers.ts";
import { computerJson } from "./computer-json.ts";

export const getComputer: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/computers/:id",
    schema: {
      operationId: "getComputer",
      tags: ["Computers"],
      summary: "Read a computer that dials in",
      description: "Returns its state and what it has reported about itself.",
      params: computerParams,
      response: { 200: computerReply },
    },
    handler: async (request) => {
      const { id: computerId } = request.params;
      const { computer } = await context.computers.getComputer({ computerId }, callFor(context, request));
      return computerJson(computer);
    },
  });
