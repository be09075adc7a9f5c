import { type AddRoute, callFor } from "../../context.ts";
import { scheduleListReply, schedulesParams } from "../../schemas/schedules.ts";
import { scheduleJson } from "./schedule-json.ts";

export const listSchedules: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/workforce/agents/:id/schedules",
    schema: {
      operationId: "listSchedules",
      tags: ["Schedules"],
      summary: "List the schedules of a workforce agent, newest first",
      params: schedulesParams,
      response: { 200: scheduleListReply },
    },
    handler: async (request) => {
      const { id: agentId } = request.params;
      const { schedules } = await context.schedules.listSchedules({ agentId }, callFor(context, request));
      return { schedules: schedules.map(scheduleJson) };
    },
  });
