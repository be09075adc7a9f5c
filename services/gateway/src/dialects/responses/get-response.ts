import { oneOf, optional, Type, text } from "@muster/wire/schema";
import type { AddRoute } from "../../context.ts";
import { relay } from "../../streams/relay.ts";
import { errorBody, errorSchema } from "../openai/error-body.ts";
import { storedSession } from "../stored-session.ts";
import { answerWith, followResponse } from "./follow-response.ts";
import { readResponseId } from "./response-id.ts";
import { responseParams, responseReply } from "./response-reply.ts";
import { ResponseWriter } from "./response-writer.ts";

const query = Type.Object({
  stream: optional(oneOf("Whether to follow the response as a stream. Default: false.", ["true", "false"])),
  starting_after: optional(
    text("The `sequence_number` of the last event that you have.", { pattern: "^[0-9]{1,9}$" }),
  ),
});

export const getResponse: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/v1/responses/:responseId",
    // It could be silent until the turn has ended, and even continue one.
    exposeHeadRoute: false,
    config: { produces: ["text/event-stream"], errors: ["EVENTS_GONE"], errorBody, errorSchema },
    schema: {
      operationId: "getOpenAiResponse",
      tags: ["Dialects"],
      summary: "Read or follow a response, as the OpenAI API does",
      description:
        "As long as the events of its turn are kept: until 15 minutes after its end. The events of a stream always have the same numbers.",
      params: responseParams,
      querystring: query,
      response: { 200: responseReply },
    },
    handler: async (request, reply) => {
      const place = readResponseId(request.params.responseId);
      const { stream, starting_after: after } = request.query;
      const open = followResponse(context, request, place);
      const startingAfter = stream === "true" && after !== undefined ? Number(after) : undefined;
      const writer = new ResponseWriter({ place, startingAfter });
      if (stream === "true") {
        await relay(context.streams, reply, open, { encoding: writer });
        return reply;
      }
      // Its messages show the events up to this one, at a pause all of them.
      const { turn } = await storedSession(context, reply, { sessionId: place.sessionId, limit: 1 });
      const stored = turn?.executionId === place.executionId ? turn.afterSequence : Number.POSITIVE_INFINITY;
      await answerWith(context, reply, open, writer, { isEnough: (sequence) => sequence >= stored });
      return reply;
    },
  });
