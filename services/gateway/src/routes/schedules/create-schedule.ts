import { type AddRoute, callFor } from "../../context.ts";
import { sendRevision } from "../../edge/http/revisions.ts";
import { createScheduleBody, scheduleReply, schedulesParams } from "../../schemas/schedules.ts";
import { scheduleJson, toSettings } from "./schedule-json.ts";

export const createSchedule: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/workforce/agents/:id/schedules",
    config: { errors: ["SLUG_TAKEN", "CAPABILITY_NOT_DECLARED", "MODEL_NOT_RUNNABLE"], sends: ["ETag"] },
    schema: {
      operationId: "createSchedule",
      tags: ["Schedules"],
      summary: "Create a schedule of a workforce agent",
      description:
        "At each of its times, the platform starts a thread with the message, exactly once. An agent has at most 100 schedules, a project 1,000.",
      params: schedulesParams,
      body: createScheduleBody,
      response: { 201: scheduleReply },
    },
    handler: async (request, reply) => {
      const { slug, managed, ...settings } = request.body;
      const { schedule } = await context.schedules.createSchedule(
        {
          ...{ agentId: request.params.id, settings: toSettings(settings) },
          ...(slug !== undefined && { slug }),
          ...(managed !== undefined && { managed }),
        },
        callFor(context, request),
      );
      return reply.code(201).send(sendRevision(reply, scheduleJson(schedule)));
    },
  });
