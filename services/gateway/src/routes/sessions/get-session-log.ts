import type { ServerResponse } from "node:http";
import type { CallOptions } from "@connectrpc/connect";
import type { SessionLogSummary } from "@muster/proto/sessions";
import type { Static } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import type { AddRoute, GatewayContext } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { streamJsonText } from "../../edge/http/json-text.ts";
import { isoOf } from "../../schemas/iso.ts";
import { sessionLogParams, sessionLogQuery, sessionLogReply } from "../../schemas/session-log.ts";
import { readStream } from "./read-stream.ts";

export const getSessionLog: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/agent-sessions/:sessionId/logs",
    schema: {
      operationId: "getSessionLog",
      tags: ["Sessions"],
      summary: "Read what the executions of a session did",
      description:
        "The entries of a turn can be read once its `finish` or `error` was sent, those of a running one with a delay of about a second. Without `after` and `limit`, the newest 3,000 are returned. An entry of more than 65,536 characters is shortened and has `shortened`: read it by its id. Credentials are replaced. Refuses tokens.",
      params: sessionLogParams,
      querystring: sessionLogQuery,
      response: { 200: sessionLogReply },
    },
    handler: async (request, reply) => {
      await streamJsonText(reply, logPieces(context, request, reply.raw));
      return reply;
    },
  });

type LogRequest = FastifyRequest<{
  Params: Static<typeof sessionLogParams>;
  Querystring: Static<typeof sessionLogQuery>;
}>;

/** The JSON of the response, with the entries as they arrive. */
async function* logPieces(
  context: Pick<GatewayContext, "sessions" | "callTimeoutMs">,
  request: LogRequest,
  response: ServerResponse,
): AsyncGenerator<string, void, undefined> {
  const { sessionId } = request.params;
  const { excludeModelRequests, after, limit } = request.query;
  const message = {
    sessionId,
    excludeModelRequests: excludeModelRequests === "true",
    ...(after !== undefined && { after }),
    ...(limit !== undefined && { limit: Number(limit) }),
  };
  const open = (options: CallOptions) => context.sessions.readSessionLog(message, options);
  let pending: string | undefined;
  for await (const { summary, entriesJson } of readStream(context, request, response, open)) {
    if (pending === undefined) {
      if (summary === undefined) throw internalProblem(new Error("ReadSessionLog returned no summary"));
      if (!summary.active) return yield expiredJson(sessionId, summary);
      const { total, truncated } = summary;
      pending = `${JSON.stringify({ sessionId, total, truncated }).slice(0, -1)},"entries":[`;
    } else if (entriesJson.length > 0) {
      yield pending;
      pending = (pending.endsWith("[") ? "" : ",") + entriesJson.join(",");
    }
  }
  if (pending === undefined) throw internalProblem(new Error("ReadSessionLog returned nothing"));
  yield `${pending}]}`;
}

function expiredJson(sessionId: string, { agentId, createdAt }: SessionLogSummary): string {
  return JSON.stringify({ sessionId, agentId, status: "expired", createdAt: isoOf(createdAt) });
}
