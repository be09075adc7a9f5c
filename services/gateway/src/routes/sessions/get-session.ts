import { View } from "@muster/proto/sessions";
import { callFor } from "../../context.ts";
import { internalProblem } from "../../errors/from-rpc.ts";
import { sessionParams, sessionQuery, sessionReply } from "../../schemas/sessions.ts";
import type { AddRoute } from "../app.ts";
import { sendJsonText } from "../send-json-text.ts";
import { sessionJson } from "./session-json.ts";

export const getSession: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/agent-sessions/:sessionId",
    config: { access: ["sessions"] },
    schema: {
      operationId: "getSession",
      tags: ["Sessions"],
      summary: "Read a session, active or expired",
      description:
        "Returns the whole session, or with `format=ui` what its users may see. An expired session has only its ids and its creation time.",
      params: sessionParams,
      querystring: sessionQuery,
      response: { 200: sessionReply },
    },
    handler: async (request, reply) => {
      const isUi = request.query.format === "ui";
      const { session } = await context.sessions.getSession(
        { sessionId: request.params.sessionId, view: isUi ? View.UI : View.FULL },
        callFor(context, request),
      );
      if (!session) throw internalProblem(new Error("GetSession returned no session"));
      sendJsonText(reply, ...sessionJson(session, isUi));
      return reply;
    },
  });
