import { Reason, readRpcError } from "@muster/rpc";
import type { Static } from "@muster/wire/schema";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AddRoute, GatewayContext } from "../../context.ts";
import type { Batch } from "../../streams/event-stream.ts";
import { type OpenSource, relay } from "../../streams/relay.ts";
import { followedTurn, sessionOfChat, turnErrors, wantedTurn } from "../chat-turn.ts";
import { fromMessageStart } from "../from-message-start.ts";
import { storedSession } from "../stored-session.ts";
import { createAgUiEncoding, snapshotType } from "./ag-ui-encoding.ts";
import { readRunInput, type WantedRun } from "./read-run-input.ts";
import { runBody, runParams, runStream } from "./schemas.ts";
import { snapshotOf } from "./snapshot.ts";

export const runAgent: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/ag-ui/:agent",
    bodyLimit: 10 * 1024 * 1024,
    config: {
      produces: ["text/event-stream"],
      relays: {
        ...{ fields: Object.keys(runBody.properties), maxItems: 10_000 },
        ...{ objects: ["tools.*.parameters"], values: [] },
      },
      errors: turnErrors,
    },
    schema: {
      operationId: "runAgUiAgent",
      tags: ["Dialects"],
      summary: "Run or continue a turn of a thread, or follow it, for AG-UI",
      description:
        "The thread names a session of the agent, which the first message creates. Only what is new in the input counts: a last message of a user, the last messages of tools, or the answers to interrupts.",
      params: runParams,
      body: runBody,
      response: { 200: runStream },
    },
    handler: async (request, reply) => {
      const { agent } = request.params;
      const { threadId, runId } = request.body;
      const wanted = readRunInput(request.body);
      const chat = {
        chatId: threadId,
        ...(agent.startsWith("agt_") ? { agentId: agent } : { agentSlug: agent }),
      };
      const sessionId = await sessionOfChat(context, request, chat);
      const source: OpenSource =
        wanted.type === "follow"
          ? (signal) => followed(context, request, reply, sessionId, signal)
          : await wantedTurn(context, request, sessionId, wanted, chat);
      await relay(context.streams, reply, source, {
        encoding: createAgUiEncoding({ sessionId, threadId, runId, ...callsIn(request.body, wanted) }),
      });
    },
  });

function callsIn({ messages }: Static<typeof runBody>, wanted: WantedRun) {
  const calls = wanted.type === "follow" ? [] : messages.flatMap(({ toolCalls = [] }) => toolCalls);
  const results = wanted.type === "continue" ? (wanted.trigger.toolResults ?? []) : [];
  return {
    known: new Set(calls.map(({ id }) => id)),
    answered: new Set(results.flatMap(({ toolCallId }) => toolCallId ?? [])),
  };
}

/** The messages of the thread, and then the turn that is running, if there is one. */
async function* followed(
  context: GatewayContext,
  request: FastifyRequest,
  reply: FastifyReply,
  sessionId: string,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, undefined> {
  const open = followedTurn(context, request, { sessionId });
  const batches = open(signal)[Symbol.asyncIterator]();
  const first = await batches.next().catch(unlessMissing);
  const session = await storedSession(context, reply, { sessionId, limit: 1_000 }).catch(unlessMissing);
  if (first?.done !== false || session === undefined) {
    yield { events: [synthetic(snapshotType, snapshotOf(session?.messages ?? []))] };
    yield { events: [synthetic("finish", { type: "finish", finishReason: "stop" })] };
    return;
  }
  const turn = await fromMessageStart(batches, session);
  yield { events: [synthetic(snapshotType, snapshotOf(turn.before))] };
  yield* turn.batches;
}

function synthetic(type: string, value: object) {
  return { sequence: 0, type, json: JSON.stringify(value) };
}

function unlessMissing(error: unknown): undefined {
  if (readRpcError(error).reason !== Reason.NOT_FOUND) throw error;
}
