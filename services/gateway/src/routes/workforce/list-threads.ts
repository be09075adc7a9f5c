import { type AddRoute, callFor } from "../../context.ts";
import { pageOf } from "../../schemas/common.ts";
import { isoOf, optionalIsoOf } from "../../schemas/iso.ts";
import { threadListQuery, threadListReply, workforceAgentParams } from "../../schemas/workforce.ts";

export const listThreads: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/v1/workforce/agents/:agentId/threads",
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
        threads: threads.map(({ id, status, title, createdAt, completedAt }) => ({
          threadId: id,
          status,
          title,
          createdAt: isoOf(createdAt),
          completedAt: optionalIsoOf(completedAt),
        })),
        nextCursor: nextCursor || null,
      };
    },
  });
