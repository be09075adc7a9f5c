import type { StreamThreadEventsResponse } from "@muster/proto/workforce";
import type { FastifyRequest } from "fastify";
import { streamCallFor } from "../../auth/identity.ts";
import type { AddRoute, GatewayContext } from "../../context.ts";
import { cursorHeaders, cursorQuery } from "../../schemas/sessions.ts";
import { threadEventsReply, threadParams } from "../../schemas/workforce.ts";
import { continuedFrom } from "../../streams/continued-turn.ts";
import { numberedEncoding } from "../../streams/frames.ts";
import { type OpenSource, relay } from "../../streams/relay.ts";

export const followThread: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/workforce/agents/:agentId/threads/:threadId/events",
    // It would be silent until the thread is final.
    exposeHeadRoute: false,
    config: { produces: ["text/event-stream"], errors: ["EVENTS_GONE"] },
    schema: {
      operationId: "followThread",
      tags: ["Workforce"],
      summary: "Replay the events of a thread from a given one on, and follow it live",
      description:
        "Any number of readers can join, leave and continue at any time without any effect on the thread. Events are numbered within the thread, and kept until 15 minutes after it became final.",
      params: threadParams,
      querystring: cursorQuery,
      headers: cursorHeaders,
      response: { 200: threadEventsReply },
    },
    handler: async (request, reply) => {
      const after = request.headers["last-event-id"] ?? request.query.after ?? "0";
      const cursor = Number(after);
      const events = threadEvents(context, request, request.params, cursor);
      await relay(context.streams, reply, events, { encoding: numberedEncoding, cursor });
    },
  });

/** The events of a thread after a given one, whichever process sends them. */
export function threadEvents(
  { workforce }: Pick<GatewayContext, "workforce">,
  request: FastifyRequest,
  thread: { agentId: string; threadId: string },
  after: number,
): OpenSource<StreamThreadEventsResponse> {
  return continuedFrom((afterSequence, signal, lost) => {
    const message = { ...thread, afterSequence };
    if (lost !== undefined) request.log.warn({ err: lost, ...message }, "a thread has lost its process");
    return workforce.streamThreadEvents(message, streamCallFor(request, signal));
  }, after);
}
