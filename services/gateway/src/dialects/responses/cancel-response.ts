import { type AddRoute, callFor } from "../../context.ts";
import { errorBody, errorSchema } from "../openai/error-body.ts";
import { answerWith, followResponse } from "./follow-response.ts";
import { readResponseId } from "./response-id.ts";
import { responseParams, responseReply } from "./response-reply.ts";
import { ResponseWriter } from "./response-writer.ts";

export const cancelResponse: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/v1/responses/:responseId/cancel",
    config: { errors: ["EVENTS_GONE"], errorBody, errorSchema },
    schema: {
      operationId: "cancelOpenAiResponse",
      tags: ["Dialects"],
      summary: "Cancel the turn of a response, as the OpenAI API does",
      description: "The output so far is kept. One that has ended stays as it is.",
      params: responseParams,
      response: { 200: responseReply },
    },
    handler: async (request, reply) => {
      const place = readResponseId(request.params.responseId);
      const { sessionId, executionId } = place;
      const { cancelled } = await context.sessions.cancelExecution(
        { sessionId, executionId },
        callFor(context, request),
      );
      const open = followResponse(context, request, place);
      const changes = cancelled ? { status: "cancelled" } : {};
      await answerWith(context, reply, open, new ResponseWriter({ place }), changes);
      return reply;
    },
  });
