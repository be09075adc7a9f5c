import { type AddRoute, callFor } from "../../context.ts";
import { pageOf } from "../../schemas/common.ts";
import { scheduleParams, scheduleRunListQuery, scheduleRunListReply } from "../../schemas/schedules.ts";
import { scheduleRunJson } from "./schedule-json.ts";

export const listScheduleRuns: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/workforce/agents/:id/schedules/:scheduleId/runs",
    schema: {
      operationId: "listScheduleRuns",
      tags: ["Schedules"],
      summary: "List the runs of a schedule, newest first",
      description:
        "Each time of the schedule has one entry: fired, or skipped with its reason. Returns one page. Continue with `nextCursor` until it is null. Entries are kept for 90 days.",
      params: scheduleParams,
      querystring: scheduleRunListQuery,
      response: { 200: scheduleRunListReply },
    },
    handler: async (request) => {
      const { id: agentId, scheduleId } = request.params;
      const { runs, nextCursor } = await context.schedules.listScheduleRuns(
        { ...pageOf(request.query), agentId, scheduleId },
        callFor(context, request),
      );
      return { runs: runs.map(scheduleRunJson), nextCursor: nextCursor || null };
    },
  });
