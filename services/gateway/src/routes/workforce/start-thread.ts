import { idempotencyKeyProblem, isIdempotencyKey } from "@muster/rpc";
import type { Static } from "@muster/wire/schema";
import type { FastifyReply } from "fastify";
import { type AddRoute, callFor } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import { toFileReferences } from "../../schemas/files.ts";
import {
  type followUpBody,
  idempotencyHeaders,
  startThreadBody,
  threadStateReply,
  workforceAgentParams,
} from "../../schemas/workforce.ts";
import { toRunConfig } from "./run-config.ts";

export const startThread: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/workforce/agents/:agentId/threads",
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
          ...(body.callback && { callbackUrl: body.callback.url }),
          ...idempotencyKeyOf(request.headers),
        },
        callFor(context, request),
      );
      return markReplay(reply, replayed)
        .code(replayed ? 200 : 201)
        .send({ threadId, status });
    },
  });

/** The fields of the RPC's request for the message of a body. */
export function messageFields({ message, files }: Static<typeof followUpBody>) {
  return { message, files: toFileReferences(files) };
}

/** The field of the RPC's request. Throws INVALID_IDEMPOTENCY_KEY for a malformed header. */
export function idempotencyKeyOf(headers: Static<typeof idempotencyHeaders>): { idempotencyKey?: string } {
  const key = headers["idempotency-key"];
  if (key === undefined) return {};
  if (!isIdempotencyKey(key)) throw new HttpProblem("INVALID_IDEMPOTENCY_KEY", idempotencyKeyProblem);
  return { idempotencyKey: key };
}

/** Marks the response to a repeat. */
export function markReplay(reply: FastifyReply, replayed: boolean): FastifyReply {
  return replayed ? reply.header("idempotent-replayed", "true") : reply;
}
