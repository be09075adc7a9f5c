import { create } from "@bufbuild/protobuf";
import { ListScheduleRunsResponseSchema } from "@muster/proto/schedules";
import { pageOf, readPage } from "@muster/rpc";
import { keyOfSchedule } from "../../store/schedule-document.ts";
import { showScheduleRun } from "../../views/show-schedule.ts";
import type { Handler } from "../handler.ts";
import { managedSchedule } from "./managed-schedule.ts";

export const listScheduleRuns: Handler<"listScheduleRuns"> = async (context, request, call) => {
  const { size, before } = readPage(request);
  const schedule = await managedSchedule(context, request, call);
  const found = await context.scheduleRuns.list(keyOfSchedule(schedule), size + 1, before);
  const { items, nextCursor } = pageOf(found, size);
  return create(ListScheduleRunsResponseSchema, { runs: items.map(showScheduleRun), nextCursor });
};
