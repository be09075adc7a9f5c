import { type AddRoute, callFor } from "../../context.ts";
import {
  idempotencyHeaders,
  startThreadBody,
  threadStateReply,
  workforceAgentParams,
} from "../../schemas/workforce.ts";
import { idempotencyKeyOf, markReplay } from "./idempotency-key.ts";
import { messageFields } from "./message-fields.ts";
import { toRunConfig } from "./run-config.ts";

export const startThread: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/v1/workforce/agents/:agentId/threads",
    config: {
      sends: ["Idempotent-Replayed"],
      errors: [
        "INVALID_IDEMPOTENCY_KEY",
        "IDEMPOTENCY_KEY_REUSED",
        "IDEMPOTENCY_KEY_IN_PROGRESS",
        "AGENT_PAUSED",
        "AGENT_BUSY",
        "QUEUE_FULL",
        "MODEL_NOT_RUNNABLE",
        "CAPABILITY_NOT_DECLARED",
      ],
    },
    schema: {
      operationId: "startThread",
      tags: ["Workforce"],
      summary: "Dispatch a message to the agent as a new thread",
      description:
        "Returns at once. The thread is `pending`, `queued` behind others, or `blocked` if a limit of the month is reached. A refused request starts nothing. A repeat with the same `Idempotency-Key` is 200 with the first request's thread.",
      params: workforceAgentParams,
      headers: idempotencyHeaders,
      body: startThreadBody,
      response: { 200: threadStateReply, 201: threadStateReply },
    },
    handler: async (request, reply) => {
      const { body, params } = request;
      const { threadId, status, replayed } = await context.workforce.startThread(
        {
          agentId: params.agentId,
          ...messageFields(body),
          ...(body.config !== undefined && { config: toRunConfig(body.config, "config") }),
          ifIdle: body.ifIdle ?? false,
          ...idempotencyKeyOf(request.headers),
        },
        callFor(context, request),
      );
      return markReplay(reply, replayed)
        .code(replayed ? 200 : 201)
        .send({ threadId, status });
    },
  });
