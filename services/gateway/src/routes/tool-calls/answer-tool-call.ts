import type { AddRoute } from "../../context.ts";
import { isoOf } from "../../schemas/iso.ts";
import { answerHeaders, answerParams, answerReply, answerToolCallBody } from "../../schemas/tool-calls.ts";

const mib = 1024 * 1024;

export const answerToolCall: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/tool-calls/:callId/result",
    bodyLimit: mib,
    config: {
      ...{ isCounted: true, keepsBytes: true },
      errors: [
        ...(["UNAUTHENTICATED", "NOT_FOUND", "TOOL_CALL_ANSWERED", "TOOL_CALL_CLOSED"] as const),
        ...(["RATE_LIMITED", "UNAVAILABLE", "TIMEOUT"] as const),
      ],
    },
    schema: {
      operationId: "answerToolCall",
      tags: ["Tool calls"],
      summary: "Send the result of a tool call that your service has accepted",
      description:
        'For services that have answered a call with 202 and `{ "accepted": true }`. Sign the body as Standard Webhooks define it, with the secret of your host: no other credential is needed. The first result counts. The same result again is 200, another one 409, and one after `openFor` or after the end of the turn 410. A wrong signature and an unknown call are 401 alike.',
      params: answerParams,
      headers: answerHeaders,
      body: answerToolCallBody,
      response: { 200: answerReply },
    },
    handler: async (request) => {
      const { callId } = request.params;
      const { headers } = request;
      const { answeredAt } = await context.checkSignature(request, () =>
        context.sessions.answerToolCall(
          {
            callId,
            webhookId: headers["webhook-id"] ?? "",
            webhookTimestamp: headers["webhook-timestamp"] ?? "",
            webhookSignature: headers["webhook-signature"] ?? "",
            ...(request.bytes && { body: request.bytes }),
          },
          context.asPlatform(request),
        ),
      );
      return { callId, answeredAt: isoOf(answeredAt) };
    },
  });
