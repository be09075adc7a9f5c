import type { HandlerContext } from "@connectrpc/connect";
import { computerIdOf, type MachineDocument, type MachineKey } from "@muster/computers";
import { invalidRequest } from "@muster/rpc";
import type { WorkforceContext } from "../../context.ts";
import { createOwnMachine } from "../../dispatch/hire/choose-computer.ts";
import { managerOf } from "../../input/caller.ts";
import { unknownComputer } from "../../store/refusals.ts";
import { managedAgent } from "../managed-agent.ts";

/** A computer that the caller manages. Throws NOT_FOUND. */
export async function managedComputer(
  { computers }: Pick<WorkforceContext, "computers">,
  computerId: string,
  call: HandlerContext,
): Promise<MachineDocument> {
  const { projectId } = managerOf(call);
  const machine = await computers.machines.store.find({ projectId, computerId });
  if (machine === null) throw unknownComputer();
  return machine;
}

type Target = { case: "agentId" | "computerId"; value: string } | { case: undefined; value?: undefined };

/** The computer whose tokens the caller manages: named itself, or as that of its agent. Throws NOT_FOUND. */
export async function computerOfTokens(
  context: WorkforceContext,
  target: Target,
  call: HandlerContext,
): Promise<MachineKey> {
  if (target.case === "computerId") {
    const { projectId, _id: computerId } = await managedComputer(context, target.value, call);
    return { projectId, computerId };
  }
  const agent = await managedAgent(context, target.value ?? "", call);
  const { projectId, computer, _id: agentId } = agent;
  if (computer.kind === "sandbox")
    throw invalidRequest("agentId", "must be an agent whose computer dials in");
  await createOwnMachine(context, agent);
  return { projectId, computerId: computer.id ?? computerIdOf(agentId) };
}
