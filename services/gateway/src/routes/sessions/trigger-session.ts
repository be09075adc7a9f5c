import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  DisconnectPolicy,
  type ResumeExecutionResponse,
  type TriggerRequestSchema,
} from "@muster/proto/sessions";
import type { IssueInput } from "@muster/rpc";
import type { PublicCode } from "@muster/wire/error-codes";
import type { Static } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import { streamCallFor } from "../../auth/identity.ts";
import type { AddRoute, GatewayContext } from "../../context.ts";
import { jsonTextOf } from "../../edge/body/request-bodies.ts";
import { badRequest } from "../../edge/errors/from-any.ts";
import { toMaxUsd } from "../../schemas/monthly-limits.ts";
import { sessionParams, triggerBody } from "../../schemas/sessions.ts";
import { turnReply } from "../../schemas/stream.ts";
import { issuesOfResults, relaysOf, toDynamicTool, toToolResult } from "../../schemas/tools.ts";
import { continued, type Resume } from "../../streams/continued-turn.ts";
import { createCountedEncoding } from "../../streams/frames.ts";
import { answerTurn, relay } from "../../streams/relay.ts";
import type { TurnBatch } from "../../streams/turn-collector.ts";

/** Tool results make these bodies larger than others. */
const bodyLimitBytes = 10 * 1024 * 1024;

/** The codes with which triggers are refused, besides those of every route. */
export const triggerErrors = [
  "SPENDING_LIMIT",
  "USAGE_LIMIT",
  "UNKNOWN_TRIGGER",
  "INVALID_INPUT",
  "UNKNOWN_TOOL_CALL",
  "UNKNOWN_MESSAGE",
  "MODEL_NOT_RUNNABLE",
  "SESSION_EXPIRED",
  "SESSION_BUSY",
  "INVALID_DEFINITION",
  "UPSTREAM",
] as const satisfies readonly PublicCode[];

export const triggerSession: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/agent-sessions/:sessionId/trigger",
    bodyLimit: bodyLimitBytes,
    config: {
      produces: ["text/event-stream"],
      relays: relaysOf(triggerBody),
      errors: triggerErrors,
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
        { encoding: createCountedEncoding(), beginsTurn: true },
      );
    },
  });

/**
 * Follows the turn of a request from an event on, with the request's credential. `wantsResult`: and then what it has written.
 * `throughPauses`: also while it waits for users' decisions, which takes hours.
 */
export function resumed(
  { sessions }: GatewayContext,
  request: FastifyRequest,
  { wantsResult = false, throughPauses = false } = {},
): Resume<ResumeExecutionResponse> {
  return ({ sessionId, executionId, after, messageId = "" }, signal, lost) => {
    const turn = { sessionId, executionId, after };
    if (lost !== undefined) request.log.warn({ err: lost, ...turn }, "a turn has lost its process");
    const message = { sessionId, executionId, afterSequence: after, toPause: !throughPauses };
    const result = wantsResult ? { resultMessageId: messageId } : {};
    return sessions.resumeExecution({ ...message, ...result }, streamCallFor(request, signal));
  };
}

type TriggerBody = Static<typeof triggerBody>;
type TriggerMessage = MessageInitShape<typeof TriggerRequestSchema>;

/** The RPC's request for a body that matches the schema. Throws INVALID_REQUEST for rules that a schema cannot express. */
function toTriggerMessage(sessionId: string, body: TriggerBody): TriggerMessage {
  const issues = issuesOf(body);
  if (issues.length > 0) throw badRequest("body", issues);
  const { executionId, sender, rollbackAfterMessageId: keep } = body;
  return {
    sessionId,
    triggerName: body.triggerName ?? "",
    inputJson: body.input === undefined ? "" : jsonTextOf(body.input),
    toolResults: (body.toolResults ?? []).map(toToolResult),
    ...(executionId === undefined ? {} : { executionId }),
    ...(keep === undefined ? {} : { rollback: keep === null ? {} : { afterMessageId: keep } }),
    ...(sender === undefined ? {} : { sender }),
    dynamicTools: (body.dynamicToolSchemas ?? []).map(toDynamicTool),
    usage: body.usage ?? false,
    ...toMaxUsd(body),
    onDisconnect: policyOf(body),
  };
}

function issuesOf({ triggerName, executionId, toolResults }: TriggerBody): IssueInput[] {
  const issues: IssueInput[] = [];
  if (triggerName === undefined && executionId === undefined) {
    issues.push({ path: "triggerName", message: "is required unless executionId is given" });
  }
  return toolResults === undefined ? issues : issues.concat(issuesOfResults(toolResults));
}

/** The policy for a turn whose reader leaves. */
export function policyOf({ onDisconnect }: { onDisconnect?: "cancel" | "continue" }): DisconnectPolicy {
  return onDisconnect === "continue" ? DisconnectPolicy.CONTINUE : DisconnectPolicy.CANCEL;
}
