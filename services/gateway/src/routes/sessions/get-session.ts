import type { ServerResponse } from "node:http";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { type CurrentTurn, type GetSessionResponse, type Session, View } from "@muster/proto/sessions";
import type { Static } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import type { AddRoute, GatewayContext } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { baseUrlOf } from "../../edge/http/headers.ts";
import { streamJsonText } from "../../edge/http/json-text.ts";
import { sessionParams, sessionQuery, sessionReply } from "../../schemas/sessions.ts";
import { readStream } from "./read-stream.ts";

export const getSession: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/agent-sessions/:sessionId",
    config: { errors: ["UNKNOWN_MESSAGE"] },
    schema: {
      operationId: "getSession",
      tags: ["Sessions"],
      summary: "Read a session, active or expired",
      description:
        "Returns the whole session, or with `format=ui` what its users may see. An expired session has only its ids and its creation time. With `limit` and `before`, its messages are read page by page, from the newest to the oldest.",
      params: sessionParams,
      querystring: sessionQuery,
      response: { 200: sessionReply },
    },
    handler: async (request, reply) => {
      await streamJsonText(reply, sessionPieces(context, request, reply.raw));
      return reply;
    },
  });

type ReadRequest = FastifyRequest<{
  Params: Static<typeof sessionParams>;
  Querystring: Static<typeof sessionQuery>;
}>;

/** The JSON of the session. One that fits into a single message is a single piece. */
async function* sessionPieces(
  context: Pick<GatewayContext, "sessions" | "callTimeoutMs" | "publicUrl">,
  request: ReadRequest,
  response: ServerResponse,
): AsyncGenerator<string, void, undefined> {
  const isUi = request.query.format === "ui";
  let pending: string | undefined;
  let after = "";
  for await (const { session, messagesJson } of responses(context, request, response)) {
    if (pending === undefined) {
      if (!session) throw internalProblem(new Error("GetSession returned no session"));
      const envelope = envelopeOf(session, isUi);
      after = envelope.after;
      pending = envelope.before + messagesJson;
    } else {
      yield pending;
      pending = messagesJson;
    }
  }
  if (pending === undefined) throw internalProblem(new Error("GetSession returned nothing"));
  yield pending + after;
}

function responses(
  context: Pick<GatewayContext, "sessions" | "callTimeoutMs" | "publicUrl">,
  request: ReadRequest,
  response: ServerResponse,
): AsyncGenerator<GetSessionResponse, void, undefined> {
  const { format, limit, before } = request.query;
  const message = {
    sessionId: request.params.sessionId,
    view: format === "ui" ? View.UI : View.FULL,
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(before !== undefined && { beforeMessageId: before }),
    filesBaseUrl: context.publicUrl ?? baseUrlOf(request) ?? "",
  };
  return readStream(context, request, response, (options) => context.sessions.getSession(message, options));
}

/** The JSON of a session around the items of its messages. */
interface Envelope {
  before: string;
  after: string;
}

/** The large fields of a session arrive as JSON and are inserted unchanged. */
function envelopeOf(session: Session, isUi: boolean): Envelope {
  const [id, agentId] = [JSON.stringify(session.id), JSON.stringify(session.agentId)];
  const createdAt = JSON.stringify(isoOf(session.createdAt));
  if (!session.active) {
    const before = `{"sessionId":${id},"agentId":${agentId},"status":"expired","createdAt":${createdAt}}`;
    return { before, after: "" };
  }
  const turn = session.turn === undefined ? "" : `"turn":${JSON.stringify(turnOf(session.turn))},`;
  if (isUi) {
    const before = `{"sessionId":${id},"agentId":${agentId},"status":"active",${turn}"messages":[`;
    return { before, after: "]}" };
  }
  const { inputJson, variablesJson, resourcesJson, metadataJson } = session;
  const values = `"input":${inputJson || "{}"},"variables":${variablesJson || "{}"},"resources":${resourcesJson || "{}"},"metadata":${metadataJson || "{}"}`;
  const subject = session.subject === undefined ? "" : `"subject":${JSON.stringify(session.subject)},`;
  const usage = session.usageJson === "" ? "" : `,"usage":${session.usageJson}`;
  const updatedAt = JSON.stringify(isoOf(session.updatedAt));
  return {
    before: `{"id":${id},"agentId":${agentId},"status":"active",${turn}${subject}${values},"messages":[`,
    after: `]${usage},"createdAt":${createdAt},"updatedAt":${updatedAt}}`,
  };
}

function turnOf({ executionId, afterSequence }: CurrentTurn) {
  return { executionId, after: afterSequence };
}

function isoOf(time: Timestamp | undefined): string | null {
  return time === undefined ? null : timestampDate(time).toISOString();
}
