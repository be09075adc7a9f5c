import type { FastifyReply, FastifyRequest } from "fastify";
import { streamCallFor } from "../../auth/identity.ts";
import type { GatewayContext } from "../../context.ts";
import { sendJsonText } from "../../edge/http/json-text.ts";
import { resumed } from "../../routes/sessions/trigger-session.ts";
import { continued } from "../../streams/continued-turn.ts";
import type { Batch } from "../../streams/event-stream.ts";
import { hold, type OpenSource } from "../../streams/relay.ts";
import type { ResponsePlace } from "./response-id.ts";
import type { ResponseWriter } from "./response-writer.ts";

/** The events of a response that has begun, to its end. */
export function followResponse(
  context: GatewayContext,
  request: FastifyRequest,
  { sessionId, executionId, after }: ResponsePlace,
): OpenSource<Batch> {
  const message = { sessionId, executionId, afterSequence: after, toPause: true };
  return continued<Batch>(
    (signal) => context.sessions.resumeExecution(message, streamCallFor(request, signal)),
    resumed(context, request),
    { sessionId, executionId, after },
  );
}

/** Answers with the response once `isEnough` is true for the number of the latest event, or at its end. */
export async function answerWith(
  context: GatewayContext,
  reply: FastifyReply,
  open: OpenSource<Batch>,
  writer: ResponseWriter,
  { isEnough = () => false, ...changes }: { isEnough?: (sequence: number) => boolean; status?: string } = {},
): Promise<void> {
  const document = await hold(context.streams, reply, async (signal) => {
    for await (const { events } of open(signal)) {
      writer.collect(events);
      if (isEnough(events.at(-1)?.sequence ?? 0)) break;
    }
    return { ...writer.document(), ...changes };
  });
  if (document !== undefined) sendJsonText(reply, JSON.stringify(document));
}
