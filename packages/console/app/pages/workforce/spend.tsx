import type { HiredAgent, UsageReport } from "@muster/client";
import { useApi } from "../../api.ts";
import { useCredential } from "../../frame/credential.ts";
import { count, money } from "../../parts/format.ts";

/** What each agent has used this month. Undefined while it is unknown, and for keys that may not see it. */
export function useSpend() {
  const mayRead = useCredential().permissions.includes("admin");
  const { data } = useApi<UsageReport>(mayRead ? "/api/usage" : null, { groupBy: "agent" });
  if (data === undefined) return undefined;
  return (agentId: string) => data.groups.find(({ name }) => name === agentId);
}

/** The month's spend, as a share of its limit if there is one. */
export function Spend({ agent }: { agent: Pick<HiredAgent, "agentId" | "limits"> }) {
  const spendOf = useSpend();
  if (spendOf === undefined) return null;
  const used = spendOf(agent.agentId);
  const { monthlyUsd, monthlyTokens } = agent.limits;
  const usd = Number(used?.totalFeeUsd ?? 0);
  const tokens = (used?.inputTokens ?? 0) + (used?.outputTokens ?? 0);
  const share =
    monthlyUsd !== null ? usd / monthlyUsd : monthlyTokens !== null ? tokens / monthlyTokens : undefined;
  return (
    <span className="grid justify-items-end gap-1">
      <span>
        {monthlyUsd === null && monthlyTokens !== null
          ? `${count(tokens)} of ${count(monthlyTokens)} tokens`
          : money(usd)}
        {monthlyUsd !== null && ` of ${money(monthlyUsd)}`}
        <span className="sr-only"> this month</span>
      </span>
      {share !== undefined && <Bar share={share} />}
    </span>
  );
}

function Bar({ share }: { share: number }) {
  // A limit of 0 is reached without spending.
  const percent = Math.min(Math.round((Number.isFinite(share) ? share : 1) * 100), 100);
  const tone = percent >= 100 ? "bg-bad" : percent >= 80 ? "bg-warn" : "bg-accent";
  return (
    <span aria-hidden="true" className="block h-1 w-28 overflow-hidden rounded-full bg-line">
      <span className={`block h-full ${tone}`} style={{ width: `${percent}%` }} />
    </span>
  );
}
