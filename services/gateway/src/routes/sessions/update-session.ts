import { type AddRoute, callFor } from "../../context.ts";
import { sessionParams, updatedReply, updateSessionBody } from "../../schemas/sessions.ts";

export const updateSession: AddRoute = (app, context) =>
  app.route({
    method: "PATCH",
    url: "/api/agent-sessions/:sessionId",
    config: { errors: ["SESSION_EXPIRED"] },
    schema: {
      operationId: "updateSession",
      tags: ["Sessions"],
      summary: "Change the metadata of a session",
      description:
        "Merges `metadata` into that of the session. A running turn is not disturbed. Refuses tokens and expired sessions.",
      params: sessionParams,
      body: updateSessionBody,
      response: { 200: updatedReply },
    },
    handler: async (request) => {
      const { sessionId } = request.params;
      const { metadataJson } = await context.sessions.updateSession(
        { sessionId, metadataJson: JSON.stringify(request.body.metadata) },
        callFor(context, request),
      );
      return { sessionId, metadata: JSON.parse(metadataJson) };
    },
  });
