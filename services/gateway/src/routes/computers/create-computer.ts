import { type AddRoute, callFor } from "../../context.ts";
import { computerReply, createComputerBody } from "../../schemas/computers.ts";
import { computerJson } from "./computer-json.ts";

export const createComputer: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/computers",
    schema: {
      operationId: "createComputer",
      tags: ["Computers"],
      summary: "Create a computer that several workforce agents share",
      description:
        "Hire agents with its id as `computerId`: their runs take turns on it. It connects with a token.",
      body: createComputerBody,
      response: { 201: computerReply },
    },
    handler: async (request, reply) => {
      const { computer } = await context.computers.createComputer(request.body, callFor(context, request));
      return reply.code(201).send(computerJson(computer));
    },
  });
