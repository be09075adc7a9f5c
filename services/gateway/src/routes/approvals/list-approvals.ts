import { type AddRoute, callFor } from "../../context.ts";
import { approvalListQuery, approvalListReply } from "../../schemas/approvals.ts";
import { approvalJson } from "./approval-json.ts";

export const listApprovals: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/approvals",
    schema: {
      operationId: "listApprovals",
      tags: ["Approvals"],
      summary: "List the tool calls that wait for a decision, or waited for one, newest first",
      description:
        "The inbox of the project, with the calls of sessions and of workforce threads. A token sees those of its session. Continue with `nextCursor` and the same filters until it is null.",
      querystring: approvalListQuery,
      response: { 200: approvalListReply },
    },
    handler: async (request) => {
      const { limit, ...filter } = request.query;
      const message = { ...filter, ...(limit !== undefined && { limit: Number(limit) }) };
      const { approvals, nextCursor } = await context.sessions.listApprovals(
        message,
        callFor(context, request),
      );
      return {
        approvals: approvals.map(approvalJson),
        nextCursor: nextCursor === "" ? null : nextCursor,
      };
    },
  });
