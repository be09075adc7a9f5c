import { Type } from "typebox";
import { streamCallFor } from "../../context.ts";
import { sessionParams, triggerBody } from "../../schemas/sessions.ts";
import { relaysOf } from "../../schemas/tools.ts";
import { relay } from "../../stream/relay.ts";
import type { AddRoute } from "../app.ts";
import { toTriggerMessage } from "./trigger-message.ts";

/** Tool results make these bodies larger than others. */
const bodyLimitBytes = 10 * 1024 * 1024;

export const triggerSession: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/agent-sessions/:sessionId/trigger",
    bodyLimit: bodyLimitBytes,
    config: { access: ["sessions"], produces: "text/event-stream", relays: relaysOf(triggerBody) },
    schema: {
      tags: ["Sessions"],
      summary: "Run or continue a turn; the response is a stream of server-sent events",
      params: sessionParams,
      body: triggerBody,
      response: { 200: { content: { "text/event-stream": { schema: Type.String() } } } },
    },
    handler: async (request, reply) => {
      const message = toTriggerMessage(request.params.sessionId, request.body);
      await relay(context.streams, reply, (signal) =>
        context.sessions.trigger(message, streamCallFor(request, signal)),
      );
    },
  });
