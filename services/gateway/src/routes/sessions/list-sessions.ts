import { SessionStatus, type SessionSummary } from "@muster/proto/sessions";
import type { Static } from "@muster/wire/schema";
import { type AddRoute, callFor } from "../../context.ts";
import { isoOf } from "../../schemas/iso.ts";
import { sessionListQuery, sessionListReply } from "../../schemas/session-lists.ts";
import { agentIdOf, agentOf } from "../agents/agent-named.ts";

const statuses = { active: SessionStatus.ACTIVE, expired: SessionStatus.EXPIRED } as const;

export const listSessions: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/agent-sessions",
    schema: {
      operationId: "listSessions",
      tags: ["Sessions"],
      summary: "List sessions, the most recently changed first",
      description:
        "Returns one page. Continue with `nextCursor` and the same filters until it is null. `metadata.<key>=<value>`, any number of times with different keys, keeps only sessions whose metadata has that value. Refuses tokens.",
      querystring: sessionListQuery,
      response: { 200: sessionListReply },
    },
    handler: async (request) => {
      const { agentId, agentSlug, status, subject, limit, cursor = "" } = request.query;
      const named =
        (agentId ?? agentSlug) === undefined ? undefined : agentOf({ agentId, agentSlug }, "querystring");
      const { sessions, nextCursor } = await context.sessions.listSessions(
        {
          ...(named && { agentId: await agentIdOf(context, request, named) }),
          status: status === undefined ? SessionStatus.UNSPECIFIED : statuses[status],
          metadataJson: JSON.stringify(metadataOf(request.query)),
          ...(subject !== undefined && { subject }),
          ...(limit !== undefined && { limit: Number(limit) }),
          cursor,
        },
        callFor(context, request),
      );
      return { sessions: sessions.map(toJson), nextCursor: nextCursor === "" ? null : nextCursor };
    },
  });

const prefix = "metadata.";

function metadataOf(query: Static<typeof sessionListQuery>): Record<string, unknown> {
  const wanted = Object.entries(query).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(wanted.map(([name, value]) => [name.slice(prefix.length), value]));
}

function toJson({ id, agentId, active, metadataJson, title, messageCount, ...times }: SessionSummary) {
  return {
    sessionId: id,
    agentId,
    status: active ? ("active" as const) : ("expired" as const),
    metadata: JSON.parse(metadataJson),
    ...(title !== undefined && { title }),
    messageCount,
    createdAt: isoOf(times.createdAt),
    updatedAt: isoOf(times.updatedAt),
  };
}
