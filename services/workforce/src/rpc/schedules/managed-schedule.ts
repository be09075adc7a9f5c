import type { HandlerContext } from "@connectrpc/connect";
import { revisionMismatch } from "@muster/rpc";
import { isAtRevision } from "@muster/store";
import type { WorkforceContext } from "../../context.ts";
import { managerOf } from "../../input/caller.ts";
import { unknownSchedule } from "../../store/refusals.ts";
import type { ScheduleDocument } from "../../store/schedule-document.ts";
import { managedAgent } from "../managed-agent.ts";

interface Named {
  agentId: string;
  scheduleId: string;
  expectedRevisions?: readonly number[];
}

/** A schedule of an agent that the caller manages. Throws NOT_FOUND, or VERSION_MISMATCH if it has another revision. */
export async function managedSchedule(
  context: Pick<WorkforceContext, "agents" | "schedules">,
  { agentId, scheduleId, expectedRevisions = [] }: Named,
  call: HandlerContext,
): Promise<ScheduleDocument> {
  await managedAgent(context, agentId, call);
  const { projectId } = managerOf(call);
  const schedule = await context.schedules.find({ projectId, agentId, scheduleId });
  if (schedule === null) throw unknownSchedule();
  if (!isAtRevision(schedule, expectedRevisions)) throw revisionMismatch("schedule");
  return schedule;
}
