import type { MachineKey } from "@muster/computers";
import type { WorkforceContext } from "../context.ts";
import { keyOfAgent } from "../store/agent-document.ts";

/** A computer has connected: the runs that wait for it can begin here. The poll of agents finds those that this misses. */
export function wakeAgentsOf(
  { agents, computers, wakeUps, log }: Pick<WorkforceContext, "agents" | "computers" | "wakeUps" | "log">,
  key: MachineKey,
): void {
  const wake = async () => {
    const machine = await computers.machines.store.find(key);
    const { projectId, computerId } = key;
    if (machine?.agentId !== undefined) wakeUps.agentChanged({ projectId, agentId: machine.agentId });
    else
      for (const agent of await agents.onComputer(projectId, computerId))
        wakeUps.agentChanged(keyOfAgent(agent));
  };
  wake().catch((error: unknown) =>
    log.warn({ err: error, ...key }, "the agents of a computer were not woken"),
  );
}
