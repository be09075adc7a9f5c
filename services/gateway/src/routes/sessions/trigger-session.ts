import { type AddRoute, streamCallFor } from "../../context.ts";
import { sessionParams, triggerBody } from "../../schemas/sessions.ts";
import { relaysOf } from "../../schemas/tools.ts";
import { turnReply } from "../../schemas/turn-reply.ts";
import { answerTurn } from "../../streams/answer-turn.ts";
import { continued } from "../../streams/continued-turn.ts";
import { createCountedFrames } from "../../streams/frames.ts";
import { relay } from "../../streams/relay.ts";
import type { TurnBatch } from "../../streams/turn-collector.ts";
import { resumed } from "./resumed.ts";
import { toTriggerMessage } from "./trigger-message.ts";

/** Tool results make these bodies larger than others. */
const bodyLimitBytes = 10 * 1024 * 1024;

export const triggerSession: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/agent-sessions/:sessionId/trigger",
    bodyLimit: bodyLimitBytes,
    config: {
      produces: ["text/event-stream"],
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
      summary: "Run or continue a turn; the response is a stream of server-sent events, or JSON",
      description:
        'Sends input to a trigger of the agent. If the stream ends with `tool-request`, execute the calls and send the results in `toolResults` with the same trigger; the turn then continues. With `"stream": false`, the response is one JSON document when the turn has ended or paused, and an `error` event is an error response.',
      params: sessionParams,
      body: triggerBody,
      response: { 200: turnReply },
    },
    handler: async (request, reply) => {
      const { sessionId } = request.params;
      const message = toTriggerMessage(sessionId, request.body);
      if (request.body.stream === false) {
        const whole = { ...message, usage: true, wantsResult: true };
        await answerTurn(
          context.streams,
          reply,
          continued<TurnBatch>(
            (signal) => context.sessions.trigger(whole, streamCallFor(request, signal)),
            resumed(context, request, { wantsResult: true }),
            { sessionId },
          ),
          sessionId,
        );
        return reply;
      }
      await relay(
        context.streams,
        reply,
        continued<TurnBatch>(
          (signal) => context.sessions.trigger(message, streamCallFor(request, signal)),
          resumed(context, request),
          { sessionId },
        ),
        { frames: createCountedFrames(), beginsTurn: true },
      );
    },
  });
