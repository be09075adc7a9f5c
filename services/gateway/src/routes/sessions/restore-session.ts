import { type AddRoute, callFor } from "../../context.ts";
import { restoredReply, restoreSessionBody, sessionParams } from "../../schemas/sessions.ts";

export const restoreSession: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/agent-sessions/:sessionId/restore",
    config: { errors: ["INVALID_INPUT", "INVALID_DEFINITION"] },
    schema: {
      operationId: "restoreSession",
      tags: ["Sessions"],
      summary: "Restore an expired session from stored messages",
      description: "Makes an expired session active again. An active one is left unchanged.",
      params: sessionParams,
      body: restoreSessionBody,
      response: { 200: restoredReply },
    },
    handler: async (request) => {
      const { sessionId } = request.params;
      const { messages, input } = request.body;
      const { restored } = await context.sessions.restoreSession(
        {
          sessionId,
          messagesJson: JSON.stringify(messages),
          inputJson: input === undefined ? "" : JSON.stringify(input),
        },
        callFor(context, request),
      );
      return { sessionId, restored };
    },
  });
