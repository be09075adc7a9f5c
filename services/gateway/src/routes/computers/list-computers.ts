import { type AddRoute, callFor } from "../../context.ts";
import { pageOf } from "../../schemas/common.ts";
import { computerListQuery, computerListReply } from "../../schemas/computers.ts";
import { computerJson } from "./computer-json.ts";

export const listComputers: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/computers",
    schema: {
      operationId: "listComputers",
      tags: ["Computers"],
      summary: "List the computers of the project that dial in, newest first",
      description: "Returns one page. Continue with `nextCursor` until it is null.",
      querystring: computerListQuery,
      response: { 200: computerListReply },
    },
    handler: async (request) => {
      const call = callFor(context, request);
      const { computers, nextCursor } = await context.computers.listComputers(pageOf(request.query), call);
      return { computers: computers.map(computerJson), nextCursor: nextCursor || null };
    },
  });
