import { type AddRoute, callFor } from "../../../context.ts";
import { pageOf } from "../../../schemas/common.ts";
import { projectThreadListQuery, projectThreadListReply } from "../../../schemas/workforce-admin.ts";
import { threadSummaryJson } from "../thread-json.ts";

export const listProjectThreads: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/workforce/threads",
    schema: {
      operationId: "listProjectThreads",
      tags: ["Workforce administration"],
      summary: "List the threads of all agents of the project, newest first",
      description: "Returns one page. Continue with `nextCursor` until it is null.",
      querystring: projectThreadListQuery,
      response: { 200: projectThreadListReply },
    },
    handler: async (request) => {
      const { agentId = "", status = "" } = request.query;
      const { threads, nextCursor } = await context.workforce.listThreads(
        { agentId, status, ...pageOf(request.query) },
        callFor(context, request),
      );
      return {
        threads: threads.map((thread) => ({ agentId: thread.agentId, ...threadSummaryJson(thread) })),
        nextCursor: nextCursor || null,
      };
    },
  });
