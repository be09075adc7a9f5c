import { type AddRoute, callFor } from "../../context.ts";
import { cancelledReply } from "../../schemas/sessions.ts";
import { sessionOfChat } from "../chat-turn.ts";
import { chatParams, chatQuery } from "./schemas.ts";
import { chatOf } from "./send-chat.ts";

export const cancelChat: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/ui/chat/:id/cancel",
    schema: {
      operationId: "cancelUiChat",
      tags: ["Dialects"],
      summary: "Abort the running turn of a chat",
      description:
        "The output so far is kept. The AI SDK's own `stop()` only closes the response: the turn keeps running.",
      params: chatParams,
      querystring: chatQuery,
      response: { 200: cancelledReply },
    },
    handler: async (request, reply) => {
      const chat = chatOf({ ...request.query, ...request.params });
      const sessionId = await sessionOfChat(context, request, chat);
      reply.header("x-session-id", sessionId);
      const { cancelled } = await context.sessions.cancelExecution({ sessionId }, callFor(context, request));
      return { sessionId, cancelled };
    },
  });
