import { setImmediate as nextTurn } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { ListSchedulesResponseSchema, type Schedule } from "@muster/proto/schedules";
import { keyOfAgent } from "../../store/agent-document.ts";
import { showSchedule } from "../../views/show-schedule.ts";
import type { Handler } from "../handler.ts";
import { managedAgent } from "../managed-agent.ts";

export const listSchedules: Handler<"listSchedules"> = async (context, { agentId }, call) => {
  const agent = await managedAgent(context, agentId, call);
  const schedules: Schedule[] = [];
  for (const schedule of await context.schedules.list(keyOfAgent(agent))) {
    schedules.push(await showSchedule(context, schedule));
    // Rare times take some milliseconds to find.
    await nextTurn();
  }
  return create(ListSchedulesResponseSchema, { schedules });
};
