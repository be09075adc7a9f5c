import type { Static } from "@muster/wire/schema";
import type { AddRoute } from "../../context.ts";
import { relay } from "../../streams/relay.ts";
import { type Chat, sessionOfChat, turnErrors, wantedTurn } from "../chat-turn.ts";
import { findRollback } from "./find-rollback.ts";
import { readLastMessage } from "./read-last-message.ts";
import { chatBody, chatQuery, chunkStream } from "./schemas.ts";
import { createUiEncoding } from "./ui-encoding.ts";

export const sendChat: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/ui/chat",
    bodyLimit: 10 * 1024 * 1024,
    config: {
      produces: ["text/event-stream"],
      relays: {
        ...{ fields: Object.keys(chatBody.properties), maxItems: 10_000 },
        ...{ objects: [], values: ["messages.*.parts.*.output"] },
      },
      errors: turnErrors,
    },
    schema: {
      operationId: "sendUiChat",
      tags: ["Dialects"],
      summary: "Run or continue a turn of a chat for the AI SDK",
      description:
        "The chat's id names a session of the agent, which the first message creates. Only the last message counts: a user's begins a turn; one of the assistant continues it with the results and decisions of its last step.",
      querystring: chatQuery,
      body: chatBody,
      response: { 200: chunkStream },
    },
    handler: async (request, reply) => {
      const wanted = readLastMessage(request.body);
      const chat = chatOf({ ...request.query, ...request.body });
      const sessionId = await sessionOfChat(context, request, chat);
      if (wanted.type === "begin") {
        const rollback = await findRollback(context, reply, sessionId, request.body);
        if (rollback !== undefined) wanted.trigger.rollback = rollback;
      }
      await relay(context.streams, reply, await wantedTurn(context, request, sessionId, wanted, chat), {
        encoding: createUiEncoding({
          sessionId,
          resets: request.query.chunks === "7",
          ...(wanted.known !== undefined && { known: wanted.known }),
        }),
      });
    },
  });

type ChatFields = Pick<Static<typeof chatBody>, "id" | "agentId" | "agentSlug">;

/** The chat that a request names in its query, its path or its body. */
export function chatOf({ id, agentId, agentSlug }: ChatFields): Chat {
  return {
    chatId: id,
    ...(agentId !== undefined && { agentId }),
    ...(agentSlug !== undefined && { agentSlug }),
  };
}
