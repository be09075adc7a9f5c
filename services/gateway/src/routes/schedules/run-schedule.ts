import { type AddRoute, callFor } from "../../context.ts";
import { scheduleParams, scheduleRunReply } from "../../schemas/schedules.ts";
import { scheduleRunJson } from "./schedule-json.ts";

export const runSchedule: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/workforce/agents/:id/schedules/:scheduleId/run",
    schema: {
      operationId: "runSchedule",
      tags: ["Schedules"],
      summary: "Run a schedule now",
      description:
        "Starts a thread at once, even if the schedule is paused or its previous thread has not ended. Its times stay the same.",
      params: scheduleParams,
      response: { 202: scheduleRunReply },
    },
    handler: async (request, reply) => {
      const { id: agentId, scheduleId } = request.params;
      const call = callFor(context, request);
      const { run } = await context.schedules.runSchedule({ agentId, scheduleId }, call);
      return reply.code(202).send(scheduleRunJson(run));
    },
  });
