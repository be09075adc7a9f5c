import { type AddRoute, callFor } from "../../context.ts";
import { threadParams, threadStateReply } from "../../schemas/workforce.ts";

export const cancelThread: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/workforce/agents/:agentId/threads/:threadId/cancel",
    schema: {
      operationId: "cancelThread",
      tags: ["Workforce"],
      summary: "Cancel the run of a thread",
      description:
        "Drops the messages that wait in the thread. A thread that waits in the queue or has ended stays unchanged, and so does its status in the response.",
      params: threadParams,
      response: { 200: threadStateReply },
    },
    handler: async (request) => {
      const { agentId, threadId } = request.params;
      const call = callFor(context, request);
      const { status } = await context.workforce.cancelThread({ agentId, threadId }, call);
      return { threadId, status };
    },
  });
