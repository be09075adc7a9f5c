import type { SessionLogSummary } from "@muster/proto/sessions";
import { callFor } from "../../context.ts";
import { internalProblem } from "../../errors/from-rpc.ts";
import { sessionLogParams, sessionLogQuery, sessionLogReply } from "../../schemas/session-log.ts";
import type { AddRoute } from "../app.ts";
import { isoOf } from "../iso.ts";
import { sendJsonText } from "../send-json-text.ts";

export const getSessionLog: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/agent-sessions/:sessionId/logs",
    schema: {
      operationId: "getSessionLog",
      tags: ["Sessions"],
      summary: "Read what the executions of a session did",
      description:
        "The entries of a turn can be read once its `finish` or `error` was sent, those of a running one with a delay of about a second. Texts and values of more than 16,384 characters are shortened, and credentials are replaced. Refuses tokens.",
      params: sessionLogParams,
      querystring: sessionLogQuery,
      response: { 200: sessionLogReply },
    },
    handler: async (request, reply) => {
      const { sessionId } = request.params;
      const excludeModelRequests = request.query.excludeModelRequests === "true";
      const entries: string[] = [];
      let summary: SessionLogSummary | undefined;
      for await (const { summary: first, entriesJson } of context.sessions.readSessionLog(
        { sessionId, excludeModelRequests },
        callFor(context, request),
      )) {
        summary ??= first;
        entries.push(...entriesJson);
      }
      if (summary === undefined) throw internalProblem(new Error("ReadSessionLog returned no summary"));
      sendJsonText(reply, logJson(sessionId, summary, entries));
      return reply;
    },
  });

/** The JSON of the response, into which the entries are inserted as they arrived. */
function logJson(sessionId: string, summary: SessionLogSummary, entries: readonly string[]): string {
  const { active, agentId, createTime, total, truncated } = summary;
  if (!active) return JSON.stringify({ sessionId, agentId, status: "expired", createdAt: isoOf(createTime) });
  const rest = JSON.stringify({ sessionId, total, truncated }).slice(0, -1);
  return `${rest},"entries":[${entries.join(",")}]}`;
}
