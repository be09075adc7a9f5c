import type { AgentDocument } from "../store/agent-document.ts";
import type { StoredRunConfig } from "../store/run-config.ts";

type Configured = Pick<AgentDocument, "base" | "declared" | "capabilities" | "settings">;

/** Which of the declared capabilities are enabled for the agent. Another version can have declared those that were set. */
export function capabilitiesOf({ declared, capabilities, settings }: Configured): Record<string, boolean> {
  const set = { ...capabilities, ...settings.capabilities };
  return Object.fromEntries(Object.entries(declared).map(([slug, isOn]) => [slug, set[slug] ?? isOn]));
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
