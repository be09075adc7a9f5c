import { type AddRoute, callFor } from "../../context.ts";
import { jsonTextOf } from "../../edge/body/request-bodies.ts";
import { approvalParams, approvalReply, decideApprovalBody } from "../../schemas/approvals.ts";
import { approvalJson } from "./approval-json.ts";

export const decideApproval: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/approvals/:approvalId",
    config: { errors: ["APPROVAL_DECIDED", "APPROVAL_EXPIRED"] },
    schema: {
      operationId: "decideApproval",
      tags: ["Approvals"],
      summary: "Approve or deny a tool call",
      description:
        "The first decision counts. The same decision again is 200 with the stored one. The turn continues by itself once all calls that it waits for are decided; its readers follow its events.",
      params: approvalParams,
      body: decideApprovalBody,
      response: { 200: approvalReply },
    },
    handler: async (request) => {
      const { decision, message = "", args } = request.body;
      const { approval } = await context.sessions.decideApproval(
        {
          ...{ id: request.params.approvalId, decision, message },
          ...(args !== undefined && { argsJson: jsonTextOf(args) }),
        },
        callFor(context, request),
      );
      return approvalJson(approval);
    },
  });
