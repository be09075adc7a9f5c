import type { HiredAgent } from "@muster/client";
import { Status } from "../../parts/status.tsx";

const reasons: Readonly<Record<string, string>> = {
  paused: "paused",
  computer_down: "computer is down",
  cli_only: "computer not connected",
  limit_reached: "limit reached",
};

/** Whether the agent works, waits for work, or why it can do neither. */
export function AgentStatus({ agent }: { agent: Pick<HiredAgent, "status" | "unavailableReason"> }) {
  const { status, unavailableReason } = agent;
  if (status === "busy") return <Status state="busy" tone="accent" />;
  if (unavailableReason === null) return <Status state={status} />;
  const tone = unavailableReason === "paused" ? "muted" : "warn";
  return <Status state={reasons[unavailableReason] ?? unavailableReason} tone={tone} />;
}
