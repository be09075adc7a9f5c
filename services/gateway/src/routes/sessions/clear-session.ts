import { type AddRoute, callFor } from "../../context.ts";
import { clearedReply, sessionParams } from "../../schemas/sessions.ts";

export const clearSession: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/agent-sessions/:sessionId",
    schema: {
      operationId: "clearSession",
      tags: ["Sessions"],
      summary: "Abort the running execution and expire the session",
      description: "Removes the state of the session. Clearing it twice succeeds.",
      params: sessionParams,
      response: { 200: clearedReply },
    },
    handler: async (request) => {
      const { sessionId } = request.params;
      await context.sessions.clearSession({ sessionId }, callFor(context, request));
      return { sessionId, cleared: true };
    },
  });
