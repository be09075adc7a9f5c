import { list, object, oneOf, optional, Type, text } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import { type AddRoute, callFor } from "../../context.ts";
import { documentOrEvents, openObjectOf } from "../../schemas/common.ts";
import { relay } from "../../streams/relay.ts";
import { followedTurn } from "../chat-turn.ts";
import { answerSoFar } from "../openai/answer-collected.ts";
import { openAiErrors } from "../openai/error-body.ts";
import { storedSession } from "../stored-session.ts";
import { type ResponsePlace, readResponseId } from "./response-id.ts";
import { ResponseWriter } from "./response-writer.ts";

const fields = {
  id: text("The id of the response."),
  status: oneOf("The state of the turn.", ["in_progress", "completed", "incomplete", "failed", "cancelled"]),
  output: list("Messages, reasoning, calls of functions and approvals.", openObjectOf("An item.")),
};

const response = object("OpenAiResponse", "A turn as the OpenAI API describes it.", fields, {
  additionalProperties: true,
});

/** The success of the routes of responses. */
export const responseReply = documentOrEvents("The response, or events of which the last has it.", response);

const params = Type.Object({ responseId: text("The id of the response.", { maxLength: 1_000 }) });

const query = Type.Object({
  stream: optional(oneOf("Whether to follow the response as a stream. Default: false.", ["true", "false"])),
  starting_after: optional(
    text("The `sequence_number` of the last event that you have.", { pattern: "^[0-9]{1,9}$" }),
  ),
});

/** Responses that have begun. */
export const storedResponses: AddRoute = (app, context) => {
  const eventsOf = (request: FastifyRequest, place: ResponsePlace) =>
    followedTurn(context, request, place, place.part.startsWith("apr_") ? [place.part] : []);
  app.route({
    method: "GET",
    url: "/v1/responses/:responseId",
    // It could be silent until the turn has ended, and even continue one.
    exposeHeadRoute: false,
    config: { produces: ["text/event-stream"], errors: ["EVENTS_GONE"], ...openAiErrors },
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
      const open = eventsOf(request, place);
      const writer = new ResponseWriter(place, Number(starting_after));
      if (stream === "true") await relay(context.streams, reply, open, { encoding: writer });
      else {
        // Its messages show the events up to this one, at a pause all of them.
        const { turn } = await storedSession(context, reply, { sessionId: place.sessionId, limit: 1 });
        const enough = turn?.executionId === place.executionId ? Math.max(turn.afterSequence, 1) : undefined;
        await answerSoFar(context, reply, open, writer, { enough });
      }
      return reply;
    },
  });
  app.route({
    method: "POST",
    url: "/v1/responses/:responseId/cancel",
    config: { errors: ["EVENTS_GONE"], ...openAiErrors },
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
      const { cancelled } = await context.sessions.cancelExecution(place, callFor(context, request));
      const changes = cancelled ? { status: "cancelled" } : {};
      const open = eventsOf(request, place);
      await answerSoFar(context, reply, open, new ResponseWriter(place), { changes });
      return reply;
    },
  });
};
