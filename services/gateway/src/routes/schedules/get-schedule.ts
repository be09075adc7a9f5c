import { type AddRoute, callFor } from "../../context.ts";
import { sendRevision } from "../../edge/http/revisions.ts";
import { scheduleParams, scheduleReply } from "../../schemas/schedules.ts";
import { scheduleJson } from "./schedule-json.ts";

export const getSchedule: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/workforce/agents/:id/schedules/:scheduleId",
    config: { sends: ["ETag"] },
    schema: {
      operationId: "getSchedule",
      tags: ["Schedules"],
      summary: "Read a schedule",
      params: scheduleParams,
      response: { 200: scheduleReply },
    },
    handler: async (request, reply) => {
      const { id: agentId, scheduleId } = request.params;
      const call = callFor(context, request);
      const { schedule } = await context.schedules.getSchedule({ agentId, scheduleId }, call);
      return sendRevision(reply, scheduleJson(schedule));
    },
  });
