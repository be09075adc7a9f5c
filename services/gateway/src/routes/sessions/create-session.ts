import { type AddRoute, callFor } from "../../context.ts";
import { jsonTextOf } from "../../edge/body/request-bodies.ts";
import { createSessionBody, sessionIdReply } from "../../schemas/sessions.ts";
import { agentOf } from "../agents/agent-named.ts";

const relays = {
  fields: Object.keys(createSessionBody.properties),
  maxItems: 0,
  objects: ["input"],
  values: [],
};

export const createSession: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/agent-sessions",
    config: {
      relays,
      errors: ["INVALID_INPUT", "AGENT_ARCHIVED", "INVALID_DEFINITION"],
    },
    schema: {
      operationId: "createSession",
      tags: ["Sessions"],
      summary: "Create a session",
      description:
        "Opens a conversation with the latest version of an interactive agent, and pins that version.",
      body: createSessionBody,
      response: { 201: sessionIdReply },
    },
    handler: async (request, reply) => {
      const { input, metadata, subject } = request.body;
      const { sessionId } = await context.sessions.createSession(
        {
          ...agentOf(request.body),
          inputJson: input === undefined ? "" : jsonTextOf(input),
          metadataJson: metadata === undefined ? "" : JSON.stringify(metadata),
          ...(subject !== undefined && { subject }),
        },
        callFor(context, request),
      );
      return reply.code(201).send({ sessionId });
    },
  });
