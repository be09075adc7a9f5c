import type { AgentList, HiredAgentList } from "@muster/client";
import { useApi } from "../api.ts";
import { useCredential } from "../frame/credential.ts";

interface NamedAgent {
  id: string;
  name: string;
  slug: string;
  /** True for an agent of the workforce, which has no definition. */
  isHired: boolean;
}

/** Every agent with a definition. One query, so that pages share what they have read. */
export function useDefinedAgents() {
  const { permissions } = useCredential();
  const maySee = permissions.includes("agents") || permissions.includes("sessions");
  return useApi<AgentList>(maySee ? "/api/agents" : null);
}

/** The agents that the key may see: those with definitions, then those of the workforce. */
export function useAgents(): readonly NamedAgent[] {
  return useAgentsInReading().agents;
}

/** The same. `isReading`: more may follow. */
export function useAgentsInReading(): { agents: readonly NamedAgent[]; isReading: boolean } {
  const { permissions } = useCredential();
  const mayManage = permissions.includes("workforce");
  const defined = useDefinedAgents();
  const hired = useApi<HiredAgentList>(mayManage ? "/api/admin/workforce/agents" : null, { limit: 100 });
  const agents = [
    ...(defined.data?.agents ?? []).map(({ id, name, slug }) => ({ id, name, slug, isHired: false })),
    ...(hired.data?.agents ?? []).map(({ agentId, name, slug }) => ({
      id: agentId,
      name,
      slug,
      isHired: true,
    })),
  ];
  return { agents, isReading: defined.isLoading || hired.isLoading };
}

/** The name of an agent or of a workforce agent; its id if this key may not read it. */
export function useAgentNames(): (agentId: string) => string {
  const { agents, isReading } = useAgentsInReading();
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  return (agentId) => names.get(agentId) ?? (isReading ? "…" : agentId);
}
