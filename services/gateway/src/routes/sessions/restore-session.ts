import { Type } from "typebox";
import { callFor } from "../../context.ts";
import { restoreSessionBody, sessionParams } from "../../schemas/sessions.ts";
import type { AddRoute } from "../app.ts";

export const restoreSession: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/agent-sessions/:sessionId/restore",
    config: { access: ["sessions"] },
    schema: {
      tags: ["Sessions"],
      summary: "Restore an expired session from stored messages",
      params: sessionParams,
      body: restoreSessionBody,
      response: { 200: Type.Object({ sessionId: Type.String(), restored: Type.Boolean() }) },
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
