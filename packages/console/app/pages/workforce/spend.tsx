import type { HiredAgent, UsageReport } from "@muster/client";
import { useApi } from "../../api.ts";
import { useCredential } from "../../frame/credential.ts";
import { count, money } from "../../parts/format.ts";
import { Meter } from "../../parts/meter.tsx";

/** The use of models in this month against the agent's limit. Only the label for keys that may not read it. */
export function Spend({ agent, label }: { agent: Pick<HiredAgent, "agentId" | "limits">; label: string }) {
  const mayRead = useCredential().permissions.includes("admin");
  const { data } = useApi<UsageReport>(mayRead ? "/api/usage" : null, { groupBy: "agent" });
  if (data === undefined) return <span className="text-muted">{label}</span>;
  const used = data.groups.find(({ name }) => name === agent.agentId);
  const { monthlyUsd, monthlyTokens } = agent.limits;
  if (monthlyUsd === null && monthlyTokens !== null) {
    const tokens = (used?.inputTokens ?? 0) + (used?.outputTokens ?? 0);
    const format = (value: number) => `${count(value)} tokens`;
    return <Meter label={label} used={tokens} limit={monthlyTokens} format={format} />;
  }
  return <Meter label={label} used={Number(used?.totalFeeUsd ?? 0)} limit={monthlyUsd} format={money} />;
}
