import type { AgentList, HiredAgentList } from "@muster/client";
import { useApi } from "../api.ts";
import { useCredential } from "../frame/credential.ts";

/** The name of an agent or of a workforce agent; its id if this key may not read it. */
export function useAgentNames(): (agentId: string) => string {
  const { permissions } = useCredential();
  const may = (...anyOf: readonly (typeof permissions)[number][]) =>
    anyOf.some((permission) => permissions.includes(permission));
  const agents = useApi<AgentList>(may("agents", "sessions") ? "/api/agents" : null, { limit: 100 });
  const hired = useApi<HiredAgentList>(may("workforce") ? "/api/admin/workforce/agents" : null, {
    limit: 100,
  });
  const names = new Map([
    ...(agents.data?.agents ?? []).map(({ id, name }) => [id, name] as const),
    ...(hired.data?.agents ?? []).map(({ agentId, name }) => [agentId, name] as const),
  ]);
  const isReading = agents.isLoading || hired.isLoading;
  return (agentId) => names.get(agentId) ?? (isReading ? "…" : agentId);
}
