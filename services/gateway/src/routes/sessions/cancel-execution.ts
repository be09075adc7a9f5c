import { type AddRoute, callFor } from "../../context.ts";
import { cancelledReply, sessionParams } from "../../schemas/sessions.ts";

export const cancelExecution: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/agent-sessions/:sessionId/cancel",
    schema: {
      operationId: "cancelExecution",
      tags: ["Sessions"],
      summary: "Abort the running execution",
      description:
        "The output so far is kept; the stream of the turn ends with `finish`. Nothing happens if no turn is running.",
      params: sessionParams,
      response: { 200: cancelledReply },
    },
    handler: async (request) => {
      const { sessionId } = request.params;
      const { cancelled } = await context.sessions.cancelExecution({ sessionId }, callFor(context, request));
      return { sessionId, cancelled };
    },
  });
