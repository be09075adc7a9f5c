import { Type } from "typebox";
import { callFor } from "../../context.ts";
import { sessionParams } from "../../schemas/sessions.ts";
import type { AddRoute } from "../app.ts";

export const clearSession: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/agent-sessions/:sessionId",
    config: { access: ["sessions"] },
    schema: {
      tags: ["Sessions"],
      summary: "Abort the running execution and expire the session",
      params: sessionParams,
      response: { 200: Type.Object({ sessionId: Type.String(), cleared: Type.Boolean() }) },
    },
    handler: async (request) => {
      const { sessionId } = request.params;
      await context.sessions.clearSession({ sessionId }, callFor(context, request));
      return { sessionId, cleared: true };
    },
  });
