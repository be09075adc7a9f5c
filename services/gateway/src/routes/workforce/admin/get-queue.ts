import { type AddRoute, callFor } from "../../../context.ts";
import { isoOf } from "../../../schemas/iso.ts";
import { hiredAgentParams, queueReply } from "../../../schemas/workforce-admin.ts";

export const getQueue: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/workforce/agents/:id/queue",
    schema: {
      operationId: "getQueue",
      tags: ["Workforce administration"],
      summary: "Read the queue of a workforce agent",
      description:
        "Lists the thread that occupies the agent, and those that wait, in the order of acceptance.",
      params: hiredAgentParams,
      response: { 200: queueReply },
    },
    handler: async (request) => {
      const { id: agentId } = request.params;
      const { currentThreadId, queued } = await context.workforce.getQueue(
        { agentId },
        callFor(context, request),
      );
      return {
        current: currentThreadId ?? null,
        queued: queued.map(({ threadId, position, createdAt }) => ({
          threadId,
          position,
          createdAt: isoOf(createdAt),
        })),
      };
    },
  });
