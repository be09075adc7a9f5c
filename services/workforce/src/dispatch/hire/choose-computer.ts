import { computerIdOf, type MachineDocument } from "@muster/computers";
import { invalidRequest } from "@muster/rpc";
import type { WorkforceContext } from "../../context.ts";
import type { AgentComputer, AgentDocument } from "../../store/agent-document.ts";
import type { HireCommand } from "./read-hire.ts";

type Context = Pick<WorkforceContext, "computers">;

/** The computer of an agent that is hired, and the names of the tools that it is known to offer beside those of a sandbox. */
export async function chooseComputer(
  context: Context,
  projectId: string,
  computer: HireCommand["computer"],
): Promise<{ computer: AgentComputer; offered: readonly string[] }> {
  if ("kind" in computer) return { computer, offered: [] };
  const { _id: id, kind, os, report } = await sharedComputer(context, projectId, computer.id);
  return { computer: { kind, os, id }, offered: report?.tools ?? [] };
}

/** Throws INVALID_REQUEST unless agents may be hired for the computer. */
export async function sharedComputer(
  { computers }: Context,
  projectId: string,
  computerId: string,
): Promise<MachineDocument> {
  const machine = await computers.machines.store.find({ projectId, computerId });
  if (machine !== null && machine.agentId === undefined && !machine.deleting) return machine;
  throw invalidRequest("computerId", "must be the id of a shared computer of this project");
}

/** The computer of one agent that dials in. Nothing happens if it exists, or if the agent has another one. */
export async function createOwnMachine(
  { computers }: Context,
  { _id: agentId, projectId, name, computer, createdAt }: AgentDocument,
): Promise<void> {
  const { kind, os, id } = computer;
  if (kind === "sandbox" || id !== undefined) return;
  const machine = { _id: computerIdOf(agentId), projectId, name, kind, os, agentId, createdAt };
  await computers.machines.store.create(machine);
}
