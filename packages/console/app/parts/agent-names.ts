import { useAgentsInReading } from "./use-agents.ts";

/** The name of an agent or of a workforce agent; its id if this key may not read it. */
export function useAgentNames(): (agentId: string) => string {
  const { agents, isReading } = useAgentsInReading();
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  return (agentId) => names.get(agentId) ?? (isReading ? "…" : agentId);
}
