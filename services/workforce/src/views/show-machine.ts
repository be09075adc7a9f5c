import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type MachineDocument, machineState } from "@muster/computers";
import type { ComputerSchema } from "@muster/proto/computers";
import type { WorkforceContext } from "../context.ts";

/** A computer that dials in, as administrators see it. */
export async function showMachine(
  { agents, clock, onlyHolder }: Pick<WorkforceContext, "agents" | "clock" | "onlyHolder">,
  machine: MachineDocument,
): Promise<MessageInitShape<typeof ComputerSchema>> {
  const { _id: id, projectId, kind, os, agentId, report, connectedAt, lastSeenAt, createdAt } = machine;
  const state = machineState(machine, { kind, nowMs: clock.now(), onlyHolder });
  const own = agentId === undefined ? null : await agents.find({ projectId, agentId });
  const users = agentId === undefined ? await agents.onComputer(projectId, id) : own === null ? [] : [own];
  return {
    ...{ id, kind, os, state },
    name: own?.name ?? machine.name,
    shared: agentId === undefined,
    agentIds: users.flatMap((agent) => (agent.deletedAt === undefined ? [agent._id] : [])),
    ...(report && { runtimeVersion: report.runtimeVersion }),
    ...(report?.region && { region: report.region }),
    ...(state === "running" && connectedAt && { connectedAt: timestampFromDate(connectedAt) }),
    ...(lastSeenAt && { lastSeenAt: timestampFromDate(lastSeenAt) }),
    createdAt: timestampFromDate(createdAt),
  };
}
