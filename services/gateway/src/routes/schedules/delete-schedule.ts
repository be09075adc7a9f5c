import { type AddRoute, callFor } from "../../context.ts";
import { expectedRevisions } from "../../edge/http/revisions.ts";
import { ifMatch } from "../../schemas/common.ts";
import { deleteScheduleReply, scheduleParams } from "../../schemas/schedules.ts";

export const deleteSchedule: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/workforce/agents/:id/schedules/:scheduleId",
    config: { errors: ["VERSION_MISMATCH"] },
    schema: {
      operationId: "deleteSchedule",
      tags: ["Schedules"],
      summary: "Delete a schedule with its ledger",
      description: "Its threads stay.",
      params: scheduleParams,
      headers: ifMatch,
      response: { 200: deleteScheduleReply },
    },
    handler: async (request) => {
      const { id: agentId, scheduleId } = request.params;
      const message = { agentId, scheduleId, expectedRevisions: expectedRevisions(request) };
      await context.schedules.deleteSchedule(message, callFor(context, request));
      return { id: scheduleId, deleted: true };
    },
  });
