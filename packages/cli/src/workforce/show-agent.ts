import { slugsOf } from "../api/agents.ts";
import type { HiredAgent, MonthlyLimits } from "../api/workforce.ts";
import type { Api } from "../http/api.ts";
import type { Output } from "../output.ts";
import { usdOf } from "./outcome.ts";

/** The status of an agent with its reason, such as `unavailable (paused)`. */
export function statusOf({ status, unavailableReason }: HiredAgent): string {
  return unavailableReason === undefined ? status : `${status} (${unavailableReason})`;
}

export async function showHiredAgent(out: Output, api: Api, agent: HiredAgent): Promise<void> {
  const { id, name, definition, definitionVersion, computer, currentThreadId, queuedThreads } = agent;
  const slugOf = await slugsOf(api, [definition]);
  out.line(`${out.style("bold", name)} (${id}), ${statusOf(agent)}`);
  const rows: Array<[string, string]> = [
    ["hired", out.time(agent.createdAt)],
    ["definition", `${slugOf(definition)} ${definitionVersion}`],
    ["computer", [computer.kind, computer.os, computer.state, computer.id].filter(Boolean).join(", ")],
    ["current thread", currentThreadId ?? "none"],
    ["queued threads", String(queuedThreads)],
    ["settings", JSON.stringify(agent.settings)],
    ["capabilities", capabilitiesOf(agent)],
    ["monthly limits", limitsLine(agent.limits)],
    ["approvals", approvalsLine(agent.approvals)],
  ];
  for (const [label, value] of rows) out.line(`${label.padEnd(16)}${value}`);
}

function capabilitiesOf({ capabilities }: HiredAgent): string {
  const entries = Object.entries(capabilities);
  return entries.map(([name, isOn]) => `${name}=${isOn === true ? "on" : "off"}`).join(" ") || "none";
}

/** `refund=ask shell=deny`, or `none`. */
export function approvalsLine(approvals: Readonly<Record<string, string>>): string {
  const rules = Object.entries(approvals);
  return rules.map(([name, demand]) => `${name}=${demand}`).join(" ") || "none";
}

/** `$25.00, 10 runs`, or `none`. */
export function limitsLine({ monthlyUsd, monthlyTokens, monthlyRuns }: MonthlyLimits): string {
  const limits = [
    ...(monthlyUsd === null ? [] : [usdOf(monthlyUsd)]),
    ...(monthlyTokens === null ? [] : [`${monthlyTokens.toLocaleString("en")} tokens`]),
    ...(monthlyRuns === null ? [] : [`${monthlyRuns.toLocaleString("en")} runs`]),
  ];
  return limits.join(", ") || "none";
}
