import { Reason, readRpcError } from "@muster/rpc";
import { Type } from "@muster/wire/schema";
import type { AddRoute } from "../../context.ts";
import { type OpenSource, relay } from "../../streams/relay.ts";
import { followedTurn, sessionOfChat } from "../chat-turn.ts";
import { fromMessageStart } from "../from-message-start.ts";
import { storedSession } from "../stored-session.ts";
import { chatParams, chatQuery, chunkStream } from "./schemas.ts";
import { chatOf } from "./send-chat.ts";
import { createUiEncoding } from "./ui-encoding.ts";

/** A turn writes one message, and few more if its handler adds some. */
const newest = 20;

export const followChat: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/ui/chat/:id/stream",
    // It would be silent until the turn has ended, and could even continue one.
    exposeHeadRoute: false,
    config: { produces: ["text/event-stream"] },
    schema: {
      operationId: "followUiChat",
      tags: ["Dialects"],
      summary: "Follow the running turn of a chat from its start, for the AI SDK",
      description:
        "The whole stream of the turn that is running or waits for decisions; 204 if there is none.",
      params: chatParams,
      querystring: chatQuery,
      response: { 200: chunkStream, 204: Type.Null({ description: "No turn is running." }) },
    },
    handler: async (request, reply) => {
      const chat = chatOf({ ...request.query, ...request.params });
      const sessionId = await sessionOfChat(context, request, chat);
      const follow = followedTurn(context, request, { sessionId });
      reply.header("x-session-id", sessionId);
      const source: OpenSource = async function* (signal) {
        const batches = follow(signal)[Symbol.asyncIterator]();
        // The first message, without events, says that there is a turn.
        const first = await batches.next();
        if (first.done === true) return;
        const session = await storedSession(context, reply, { sessionId, limit: newest });
        yield* (await fromMessageStart(batches, session)).batches;
      };
      try {
        await relay(context.streams, reply, source, {
          encoding: createUiEncoding({ sessionId, resets: request.query.chunks === "7" }),
        });
      } catch (error) {
        if (readRpcError(error).reason !== Reason.NOT_FOUND) throw error;
        return reply.code(204).send(null);
      }
    },
  });
