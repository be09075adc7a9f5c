import { Type } from "typebox";
import { callFor } from "../../context.ts";
import { sessionParams } from "../../schemas/sessions.ts";
import type { AddRoute } from "../app.ts";

export const cancelExecution: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/agent-sessions/:sessionId/cancel",
    config: { access: ["sessions"] },
    schema: {
      tags: ["Sessions"],
      summary: "Abort the running execution",
      params: sessionParams,
      response: { 200: Type.Object({ sessionId: Type.String(), cancelled: Type.Boolean() }) },
    },
    handler: async (request) => {
      const { sessionId } = request.params;
      const { cancelled } = await context.sessions.cancelExecution({ sessionId }, callFor(context, request));
      return { sessionId, cancelled };
    },
  });
