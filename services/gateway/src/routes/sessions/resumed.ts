import type { ResumeExecutionResponse } from "@muster/proto/sessions";
import type { FastifyRequest } from "fastify";
import { type GatewayContext, streamCallFor } from "../../context.ts";
import type { Resume } from "../../streams/continued-turn.ts";

/** Follows the turn of a request from an event on, with the request's credential. `wantsResult`: and then what it has written. */
export function resumed(
  { sessions }: GatewayContext,
  request: FastifyRequest,
  { wantsResult = false } = {},
): Resume<ResumeExecutionResponse> {
  return ({ sessionId, executionId, after, messageId = "" }, signal, lost) => {
    const turn = { sessionId, executionId, after };
    if (lost !== undefined) request.log.warn({ err: lost, ...turn }, "a turn has lost its process");
    const message = { sessionId, executionId, afterSequence: after };
    const result = wantsResult ? { resultMessageId: messageId } : {};
    return sessions.resumeExecution({ ...message, ...result }, streamCallFor(request, signal));
  };
}
