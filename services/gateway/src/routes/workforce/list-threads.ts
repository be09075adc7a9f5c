import { type AddRoute, callFor } from "../../context.ts";
import { pageOf } from "../../schemas/common.ts";
import { threadListQuery, threadListReply, workforceAgentParams } from "../../schemas/workforce.ts";
import { threadSummaryJson } from "./thread-json.ts";

export const listThreads: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/workforce/agents/:agentId/threads",
    schema: {
      operationId: "listThreads",
      tags: ["Workforce"],
      summary: "List the threads of the agent, newest first",
      description: "Returns one page. Continue with `nextCursor` until it is null.",
      params: workforceAgentParams,
      querystring: threadListQuery,
      response: { 200: threadListReply },
    },
    handler: async (request) => {
      const { agentId } = request.params;
      const { threads, nextCursor } = await context.workforce.listThreads(
        { agentId, ...pageOf(request.query) },
        callFor(context, request),
      );
      return {
        threads: threads.map(threadSummaryJson),
        nextCursor: nextCursor || null,
      };
    },
  });
