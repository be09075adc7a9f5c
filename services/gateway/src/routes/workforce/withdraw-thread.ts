import { type AddRoute, callFor } from "../../context.ts";
import { threadParams, threadStateReply } from "../../schemas/workforce.ts";

export const withdrawThread: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/workforce/agents/:agentId/threads/:threadId",
    schema: {
      operationId: "withdrawThread",
      tags: ["Workforce"],
      summary: "Withdraw a queued thread",
      description:
        "The thread becomes `cancelled` and remains readable. Every other thread stays unchanged, and so does its status in the response.",
      params: threadParams,
      response: { 200: threadStateReply },
    },
    handler: async (request) => {
      const { agentId, threadId } = request.params;
      const call = callFor(context, request);
      const { status } = await context.workforce.withdrawThread({ agentId, threadId }, call);
      return { threadId, status };
    },
  });
