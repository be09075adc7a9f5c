import { type AddRoute, callFor } from "../../context.ts";
import { expectedRevisions, sendRevision } from "../../edge/http/revisions.ts";
import { ifMatch } from "../../schemas/common.ts";
import { scheduleParams, scheduleReply } from "../../schemas/schedules.ts";
import { scheduleJson } from "./schedule-json.ts";

/** A change of `enabled` alone. */
function switchSchedule(path: "pause" | "resume", summary: string, description: string): AddRoute {
  return (app, context) =>
    app.route({
      method: "POST",
      url: `/api/admin/workforce/agents/:id/schedules/:scheduleId/${path}`,
      config: { errors: ["VERSION_MISMATCH"], sends: ["ETag"] },
      schema: {
        operationId: `${path}Schedule`,
        tags: ["Schedules"],
        summary,
        description,
        params: scheduleParams,
        headers: ifMatch,
        response: { 200: scheduleReply },
      },
      handler: async (request, reply) => {
        const { id: agentId, scheduleId } = request.params;
        const { schedule } = await context.schedules.updateSchedule(
          {
            ...{ agentId, scheduleId, settings: { enabled: path === "resume" } },
            expectedRevisions: expectedRevisions(request),
          },
          callFor(context, request),
        );
        return sendRevision(reply, scheduleJson(schedule));
      },
    });
}

export const pauseSchedule = switchSchedule(
  "pause",
  "Pause a schedule",
  "Its times pass without an entry in the ledger, until it is resumed.",
);

export const resumeSchedule = switchSchedule(
  "resume",
  "Resume a schedule",
  "Also ends a pause of the platform. Times that have passed do not run.",
);
