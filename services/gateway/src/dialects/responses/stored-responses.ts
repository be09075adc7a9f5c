import { list, object, oneOf, optional, Type, text } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import { type AddRoute, callFor, type GatewayContext } from "../../context.ts";
import { openObjectOf } from "../../schemas/common.ts";
import { type OpenSource, relay } from "../../streams/relay.ts";
import { followedTurn } from "../chat-turn.ts";
import { answerSoFar } from "../openai/answer-collected.ts";
import { errorBody, errorSchema } from "../openai/error-body.ts";
import { storedSession } from "../stored-session.ts";
import { type ResponsePlace, readResponseId } from "./response-id.ts";
import { ResponseWriter } from "./response-writer.ts";

const fields = {
  id: text("The id of the response."),
  status: text("`in_progress`, `completed`, `incomplete`, `failed` or `cancelled`."),
  output: list("Messages, reasoning, calls of functions and approvals.", openObjectOf("An item.")),
};

const response = object("OpenAiResponse", "A turn as the OpenAI API describes it.", fields, {
  additionalProperties: true,
});

/** The success of the routes of responses. */
export const responseReply = {
  description: "The response, or server-sent events, of which the first and the last have it.",
  content: { "application/json": { schema: response }, "text/event-stream": { schema: response } },
};

const params = Type.Object({ responseId: text("The id of the response.", { maxLength: 1_000 }) });

const query = Type.Object({
  stream: optional(oneOf("Whether to follow the response as a stream. Default: false.", ["true", "false"])),
  starting_after: optional(
    text("The `sequence_number` of the last event that you have.", { pattern: "^[0-9]{1,9}$" }),
  ),
});

const errors = { errors: ["EVENTS_GONE"], errorBody, errorSchema } as const;

/** Responses that have begun. */
export const storedResponses: AddRoute = (app, context) => {
  app.route({
    method: "GET",
    url: "/v1/responses/:responseId",
    // It could be silent until the turn has ended, and even continue one.
    exposeHeadRoute: false,
    config: { produces: ["text/event-stream"], ...errors },
    schema: {
      operationId: "getOpenAiResponse",
      tags: ["Dialects"],
      summary: "Read or follow a response, as the OpenAI API does",
      description:
        "As long as the events of its turn are kept: until 15 minutes after its end. The events of a stream always have the same numbers.",
      params,
      querystring: query,
      response: { 200: responseReply },
    },
    handler: async (request, reply) => {
      const place = readResponseId(request.params.responseId);
      const { stream, starting_after = "-1" } = request.query;
      const open = eventsOf(context, request, place);
      if (stream === "true") {
        const encoding = new ResponseWriter({ place, startingAfter: Number(starting_after) });
        await relay(context.streams, reply, open, { encoding });
        return reply;
      }
      // Its messages show the events up to this one, at a pause all of them.
      const { turn } = await storedSession(context, reply, { sessionId: place.sessionId, limit: 1 });
      const stored = turn?.executionId === place.executionId ? Math.max(turn.afterSequence, 1) : undefined;
      await answerSoFar(context, reply, open, new ResponseWriter({ place }), { enough: stored });
      return reply;
    },
  });
  app.route({
    method: "POST",
    url: "/v1/responses/:responseId/cancel",
    config: errors,
    schema: {
      operationId: "cancelOpenAiResponse",
      tags: ["Dialects"],
      summary: "Cancel the turn of a response, as the OpenAI API does",
      description: "The output so far is kept. One that has ended stays as it is.",
      params,
      response: { 200: responseReply },
    },
    handler: async (request, reply) => {
      const place = readResponseId(request.params.responseId);
      const { sessionId, executionId } = place;
      const turn = { sessionId, executionId };
      const { cancelled } = await context.sessions.cancelExecution(turn, callFor(context, request));
      const changes = cancelled ? { status: "cancelled" } : {};
      const open = eventsOf(context, request, place);
      await answerSoFar(context, reply, open, new ResponseWriter({ place }), { changes });
      return reply;
    },
  });
};

/** The events of a response. */
function eventsOf(context: GatewayContext, request: FastifyRequest, place: ResponsePlace): OpenSource {
  return followedTurn(context, request, place, place.part.startsWith("apr_") ? [place.part] : []);
}
