import { type AddRoute, callFor } from "../../context.ts";
import { followUpBody, idempotencyHeaders, threadParams, threadStateReply } from "../../schemas/workforce.ts";
import { idempotencyKeyOf, markReplay, messageFields } from "./start-thread.ts";

export const followUp: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/workforce/agents/:agentId/threads/:threadId/messages",
    config: {
      sends: ["Idempotent-Replayed"],
      errors: [
        "INVALID_IDEMPOTENCY_KEY",
        "IDEMPOTENCY_KEY_REUSED",
        "IDEMPOTENCY_KEY_IN_PROGRESS",
        "AGENT_PAUSED",
        "QUEUE_FULL",
        "THREAD_CLOSED",
        "USAGE_LIMIT",
        "SPENDING_LIMIT",
      ],
    },
    schema: {
      operationId: "followUpThread",
      tags: ["Workforce"],
      summary: "Send another message to a thread",
      description:
        "A thread that has ended continues at once, or waits for the agent; a running one takes the message after its current turn. The run has the settings of the thread.",
      params: threadParams,
      headers: idempotencyHeaders,
      body: followUpBody,
      response: { 202: threadStateReply },
    },
    handler: async (request, reply) => {
      const { agentId, threadId } = request.params;
      const { status, replayed } = await context.workforce.followUp(
        { agentId, threadId, ...messageFields(request.body), ...idempotencyKeyOf(request.headers) },
        callFor(context, request),
      );
      return markReplay(reply, replayed).code(202).send({ threadId, status });
    },
  });
