import { streamCallFor } from "../../context.ts";
import { sessionParams, triggerBody } from "../../schemas/sessions.ts";
import { eventStreamReply } from "../../schemas/stream.ts";
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
    config: {
      access: ["sessions"],
      produces: "text/event-stream",
      relays: relaysOf(triggerBody),
      errors: [
        "UNKNOWN_TRIGGER",
        "INVALID_INPUT",
        "UNKNOWN_TOOL_CALL",
        "UNKNOWN_MESSAGE",
        "MODEL_NOT_RUNNABLE",
        "SESSION_EXPIRED",
        "SESSION_BUSY",
        "INVALID_DEFINITION",
        "UPSTREAM",
      ],
    },
    schema: {
      operationId: "triggerSession",
      tags: ["Sessions"],
      summary: "Run or continue a turn; the response is a stream of server-sent events",
      description:
        "Sends input to a trigger of the agent. If the stream ends with `tool-request`, execute the calls and send the results in `toolResults` with the same trigger; the turn then continues.",
      params: sessionParams,
      body: triggerBody,
      response: { 200: eventStreamReply },
    },
    handler: async (request, reply) => {
      const message = toTriggerMessage(request.params.sessionId, request.body);
      await relay(context.streams, reply, (signal) =>
        context.sessions.trigger(message, streamCallFor(request, signal)),
      );
    },
  });
