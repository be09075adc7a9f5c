import { type AddRoute, callFor } from "../../context.ts";
import { expectedRevisions, sendRevision } from "../../edge/http/revisions.ts";
import { ifMatch } from "../../schemas/common.ts";
import { scheduleParams, scheduleReply, updateScheduleBody } from "../../schemas/schedules.ts";
import { scheduleJson, toSettings } from "./schedule-json.ts";

export const updateSchedule: AddRoute = (app, context) =>
  app.route({
    method: "PATCH",
    url: "/api/admin/workforce/agents/:id/schedules/:scheduleId",
    config: {
      errors: ["VERSION_MISMATCH", "CAPABILITY_NOT_DECLARED", "MODEL_NOT_RUNNABLE"],
      sends: ["ETag"],
    },
    schema: {
      operationId: "updateSchedule",
      tags: ["Schedules"],
      summary: "Change a schedule",
      description: "`enabled: true` also ends a pause of the platform. New times count from now.",
      params: scheduleParams,
      headers: ifMatch,
      body: updateScheduleBody,
      response: { 200: scheduleReply },
    },
    handler: async (request, reply) => {
      const { managed, ...settings } = request.body;
      const { id: agentId, scheduleId } = request.params;
      const { schedule } = await context.schedules.updateSchedule(
        {
          ...{ agentId, scheduleId, settings: toSettings(settings) },
          ...(managed !== undefined && { managed }),
          expectedRevisions: expectedRevisions(request),
        },
        callFor(context, request),
      );
      return sendRevision(reply, scheduleJson(schedule));
    },
  });
