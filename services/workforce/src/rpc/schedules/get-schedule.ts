import { create } from "@bufbuild/protobuf";
import { GetScheduleResponseSchema } from "@muster/proto/schedules";
import { showSchedule } from "../../views/show-schedule.ts";
import type { Handler } from "../handler.ts";
import { managedSchedule } from "./managed-schedule.ts";

export const getSchedule: Handler<"getSchedule"> = async (context, request, call) => {
  const schedule = await managedSchedule(context, request, call);
  return create(GetScheduleResponseSchema, { schedule: await showSchedule(context, schedule) });
};
