import type { AgentDocument } from "../store/agent-document.ts";
import type { StoredRunConfig } from "../store/run-config.ts";

type Configured = Pick<AgentDocument, "base" | "declared" | "capabilities" | "settings">;

/** Which of the declared capabilities are enabled for the agent. */
export function capabilitiesOf({ declared, capabilities, settings }: Configured): Record<string, boolean> {
  return { ...declared, ...capabilities, ...settings.capabilities };
}

/** The settings that a run uses: the request's over the agent's over the definition's. */
export function effectiveConfig(agent: Configured, request: StoredRunConfig): StoredRunConfig {
  const { record, recordVisibility, ...merged } = { ...agent.base, ...agent.settings, ...request };
  return {
    ...merged,
    capabilities: { ...capabilitiesOf(agent), ...request.capabilities },
    ...(record && { record, recordVisibility: recordVisibility ?? "private" }),
  };
}
