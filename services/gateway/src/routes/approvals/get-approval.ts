import { type AddRoute, callFor } from "../../context.ts";
import { baseUrlOf } from "../../edge/http/headers.ts";
import { approvalDetailReply, approvalParams } from "../../schemas/approvals.ts";
import { approvalJson } from "./approval-json.ts";

export const getApproval: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/approvals/:approvalId",
    schema: {
      operationId: "getApproval",
      tags: ["Approvals"],
      summary: "Read an approval with the end of its conversation",
      description:
        "Returns what a user needs to decide: all arguments, the requester, and the last messages. A token reads only approvals of its session.",
      params: approvalParams,
      response: { 200: approvalDetailReply },
    },
    handler: async (request) => {
      const { approval, messagesJson } = await context.sessions.getApproval(
        {
          id: request.params.approvalId,
          filesBaseUrl: context.publicUrl ?? baseUrlOf(request) ?? "",
        },
        callFor(context, request),
      );
      return { ...approvalJson(approval), messages: JSON.parse(messagesJson) };
    },
  });
