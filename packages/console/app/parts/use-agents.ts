import type { AgentList, HiredAgentList } from "@muster/client";
import { useApi } from "../api.ts";
import { useCredential } from "../frame/credential.ts";

interface NamedAgent {
  id: string;
  name: string;
  isHired: boolean;
}

/** The agents of the project that the key may see: those with definitions, then those of the workforce. */
export function useAgents(): readonly NamedAgent[] {
  const { permissions } = useCredential();
  const maySee = permissions.includes("agents") || permissions.includes("sessions");
  const defined = useApi<AgentList>(maySee ? "/api/agents" : null);
  const mayManage = permissions.includes("workforce");
  const hired = useApi<HiredAgentList>(mayManage ? "/api/admin/workforce/agents" : null, { limit: 100 });
  return [
    ...(defined.data?.agents ?? []).map(({ id, name }) => ({ id, name, isHired: false })),
    ...(hired.data?.agents ?? []).map(({ agentId, name }) => ({ id: agentId, name, isHired: true })),
  ];
}
