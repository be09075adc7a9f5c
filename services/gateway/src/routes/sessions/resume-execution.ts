import { streamCallFor } from "../../auth/identity.ts";
import type { AddRoute } from "../../context.ts";
import { cursorHeaders, cursorQuery, executionParams } from "../../schemas/sessions.ts";
import { numberedStreamReply } from "../../schemas/stream.ts";
import { continued } from "../../streams/continued-turn.ts";
import { numberedEncoding } from "../../streams/frames.ts";
import { relay } from "../../streams/relay.ts";
import { resumed } from "./trigger-session.ts";

export const resumeExecution: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/agent-sessions/:sessionId/executions/:executionId/events",
    // It would be silent until the turn has ended, and could even continue one.
    exposeHeadRoute: false,
    config: { produces: ["text/event-stream"], errors: ["EVENTS_GONE"] },
    schema: {
      operationId: "resumeExecution",
      tags: ["Sessions"],
      summary: "Replay the events of a turn from a given one on, and follow it live",
      description:
        "Continues a stream whose connection broke, or lets further readers join. The n-th event of the response to a trigger has the number n. Events are kept until 15 minutes after the end of the turn. If the process that ran the turn has died, the turn continues with `step-discard`, and numbers have a gap.",
      params: executionParams,
      querystring: cursorQuery,
      headers: cursorHeaders,
      response: { 200: numberedStreamReply },
    },
    handler: async (request, reply) => {
      const after = request.headers["last-event-id"] ?? request.query.after ?? "0";
      const message = { ...request.params, afterSequence: Number(after) };
      await relay(
        context.streams,
        reply,
        continued(
          (signal) => context.sessions.resumeExecution(message, streamCallFor(request, signal)),
          resumed(context, request, { throughPauses: true }),
          { ...request.params, after: message.afterSequence },
        ),
        { encoding: numberedEncoding, cursor: message.afterSequence },
      );
    },
  });
