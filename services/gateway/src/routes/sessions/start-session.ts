import type { MessageInitShape } from "@bufbuild/protobuf";
import type { StartSessionRequestSchema } from "@muster/proto/sessions";
import { idempotencyKeyProblem, isIdempotencyKey } from "@muster/rpc";
import type { Static } from "@muster/wire/schema";
import { streamCallFor } from "../../auth/identity.ts";
import type { AddRoute } from "../../context.ts";
import { jsonTextOf } from "../../edge/body/request-bodies.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import { toMaxUsd } from "../../schemas/monthly-limits.ts";
import { startSessionBody } from "../../schemas/sessions.ts";
import { startReply } from "../../schemas/stream.ts";
import { relaysOf, toDynamicTool } from "../../schemas/tools.ts";
import { continued } from "../../streams/continued-turn.ts";
import { createCountedEncoding } from "../../streams/frames.ts";
import { answerTurn, relay } from "../../streams/relay.ts";
import { replayedJson, type TurnBatch } from "../../streams/turn-collector.ts";
import { agentOf } from "../agents/agent-named.ts";
import { policyOf, resumed } from "./trigger-session.ts";

/** The limit of every trigger. */
const bodyLimitBytes = 10 * 1024 * 1024;

const { objects } = relaysOf(startSessionBody.properties.trigger);

const relays = {
  fields: Object.keys(startSessionBody.properties),
  maxItems: 0,
  objects: ["input", ...objects.map((path) => `trigger.${path}`)],
  values: [],
};

export const startSession: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/agent-sessions/start",
    bodyLimit: bodyLimitBytes,
    config: {
      produces: ["text/event-stream"],
      relays,
      sends: ["X-Session-Id"],
      errors: [
        "SPENDING_LIMIT",
        "USAGE_LIMIT",
        "INVALID_IDEMPOTENCY_KEY",
        "IDEMPOTENCY_KEY_REUSED",
        "UNKNOWN_TRIGGER",
        "INVALID_INPUT",
        "MODEL_NOT_RUNNABLE",
        "AGENT_ARCHIVED",
        "INVALID_DEFINITION",
        "UPSTREAM",
      ],
    },
    schema: {
      operationId: "startSession",
      tags: ["Sessions"],
      summary:
        "Create a session and run its first turn; the response is a stream of server-sent events, or JSON",
      description:
        'Does in one request what a create and a trigger do in two. The `start` event and the header `X-Session-Id` contain the id of the new session. A refused request creates no session. With `"stream": false`, the response is JSON, as for a trigger. A repeat with the same `idempotencyKey` replays the events of the first turn and follows it live; once they are gone, it is JSON with `replayed`.',
      body: startSessionBody,
      response: { 200: startReply },
    },
    handler: async (request, reply) => {
      const message = toStartMessage(request.body);
      if (request.body.stream === false) {
        const whole = { ...message, wantsResult: true };
        await answerTurn(
          context.streams,
          reply,
          continued<TurnBatch>(
            (signal) => context.sessions.startSession(whole, streamCallFor(request, signal)),
            resumed(context, request, { wantsResult: true }),
          ),
        );
        return reply;
      }
      await relay(
        context.streams,
        reply,
        continued<TurnBatch>(
          (signal) => context.sessions.startSession(message, streamCallFor(request, signal)),
          resumed(context, request),
        ),
        { headersOf, documentOf, encoding: createCountedEncoding(), beginsTurn: true },
      );
      return reply;
    },
  });

function headersOf({ session }: TurnBatch): Record<string, string> {
  return session === undefined ? {} : { "x-session-id": session.sessionId };
}

/** A repeat whose events are gone has no stream. */
function documentOf({ session }: TurnBatch): string | undefined {
  return session?.eventsGone ? replayedJson(session) : undefined;
}

type StartBody = Static<typeof startSessionBody>;
type StartMessage = MessageInitShape<typeof StartSessionRequestSchema>;

/** The RPC's request for a body that matches the schema. Throws INVALID_IDEMPOTENCY_KEY, and INVALID_REQUEST for rules that a schema cannot express. */
function toStartMessage(body: StartBody): StartMessage {
  const { input, metadata, subject, trigger, idempotencyKey } = body;
  if (idempotencyKey !== undefined && !isIdempotencyKey(idempotencyKey)) {
    throw new HttpProblem("INVALID_IDEMPOTENCY_KEY", idempotencyKeyProblem);
  }
  return {
    ...agentOf(body),
    inputJson: input === undefined ? "" : jsonTextOf(input),
    metadataJson: metadata === undefined ? "" : JSON.stringify(metadata),
    ...(subject !== undefined && { subject }),
    trigger: toFirstTrigger(trigger),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

function toFirstTrigger({
  triggerName,
  input,
  sender,
  dynamicToolSchemas,
  usage,
  ...trigger
}: StartBody["trigger"]) {
  return {
    triggerName,
    inputJson: input === undefined ? "" : jsonTextOf(input),
    ...(sender === undefined ? {} : { sender }),
    dynamicTools: (dynamicToolSchemas ?? []).map(toDynamicTool),
    usage: usage ?? false,
    ...toMaxUsd(trigger),
    onDisconnect: policyOf(trigger),
  };
}
