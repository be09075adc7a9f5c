import type { ServerResponse } from "node:http";
import type { CallOptions } from "@connectrpc/connect";
import type { Static } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import type { AddRoute, GatewayContext } from "../../context.ts";
import { streamJsonText } from "../../edge/http/json-text.ts";
import { logEntry, logEntryParams } from "../../schemas/session-log.ts";
import { readStream } from "./read-stream.ts";

export const getLogEntry: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/agent-sessions/:sessionId/logs/:entryId",
    schema: {
      operationId: "getLogEntry",
      tags: ["Sessions"],
      summary: "Read one entry of a log in full",
      description:
        "Its texts, arguments and results are those of the stored conversation. If they are no longer there, for example after a rollback, the entry has `shortened` here too. An expired session has no entries. Refuses tokens.",
      params: logEntryParams,
      response: { 200: logEntry },
    },
    handler: async (request, reply) => {
      await streamJsonText(reply, entryPieces(context, request, reply.raw));
      return reply;
    },
  });

async function* entryPieces(
  context: Pick<GatewayContext, "sessions" | "callTimeoutMs">,
  request: FastifyRequest<{ Params: Static<typeof logEntryParams> }>,
  response: ServerResponse,
): AsyncGenerator<string, void, undefined> {
  const open = (options: CallOptions) => context.sessions.readLogEntry(request.params, options);
  for await (const { entryJson } of readStream(context, request, response, open)) yield entryJson;
}
