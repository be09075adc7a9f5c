import { create } from "@bufbuild/protobuf";
import { ReportUsageResponseSchema, type UsageGroup, UsageGroupSchema } from "@muster/proto/sessions";
import { adminOf, Issues } from "@muster/rpc";
import { addDecimals } from "@muster/service/money";
import type { UsageRecord } from "../store/usage-document.ts";
import type { Handler } from "./handler.ts";

const dayMs = 86_400_000;
const maxDays = 400;
const maxDailyTop = 10;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

const names: Record<string, (record: UsageRecord) => string> = {
  agent: ({ workforceAgentId, agentId }) => workforceAgentId ?? agentId ?? "",
  key: ({ keyId }) => keyId ?? "",
  subject: ({ subject }) => subject ?? "",
  model: ({ modelId }) => modelId,
  day: dayNameOf,
};

function dayNameOf({ at }: UsageRecord): string {
  return at.toISOString().slice(0, 10);
}

export const reportUsage: Handler<"reportUsage"> = async (context, { from, to, groupBy, dailyTop }, call) => {
  const { projectId } = adminOf(call);
  const issues = new Issues();
  const [fromMs, toMs] = [dayOf(issues, "from", from), dayOf(issues, "to", to)];
  if (fromMs > toMs) issues.add("from", "must not be after to");
  if (toMs - fromMs > maxDays * dayMs) issues.add("from", `must be at most ${maxDays} days before to`);
  const nameOf = Object.hasOwn(names, groupBy) ? names[groupBy] : undefined;
  if (nameOf === undefined) issues.add("groupBy", `must be one of ${Object.keys(names).join(", ")}`);
  if (dailyTop > maxDailyTop) issues.add("dailyTop", `must be at most ${maxDailyTop}`);
  issues.refuse();
  const read = () => context.usage.between(projectId, new Date(fromMs), new Date(toMs + dayMs));
  const groups = new Map<string, UsageGroup>();
  const total = create(UsageGroupSchema, none);
  for await (const record of read())
    for (const each of [groupIn(groups, nameOf?.(record) ?? ""), total]) add(each, record);
  const inOrder = [...groups.values()].sort((a, b) =>
    groupBy === "day" ? byName(a, b) : Number(b.totalFeeUsd) - Number(a.totalFeeUsd),
  );
  const top = new Map(inOrder.slice(0, dailyTop).map((group) => [group, new Map<string, UsageGroup>()]));
  // A second reading, so that the days of all other groups take no memory.
  if (top.size > 0)
    for await (const record of read()) {
      const days = top.get(groupIn(groups, nameOf?.(record) ?? ""));
      if (days !== undefined) add(groupIn(days, dayNameOf(record)), record);
    }
  for (const [group, days] of top) group.days = [...days.values()].sort(byName);
  return create(ReportUsageResponseSchema, { groups: inOrder, total });
};

function groupIn(groups: Map<string, UsageGroup>, name: string): UsageGroup {
  const group = groups.get(name) ?? create(UsageGroupSchema, { name, ...none });
  groups.set(name, group);
  return group;
}

const byName = (a: UsageGroup, b: UsageGroup) => a.name.localeCompare(b.name);

const none = { providerFeeUsd: "0", bandwidthFeeUsd: "0", totalFeeUsd: "0" };

function dayOf(issues: Issues, path: string, text: string): number {
  const timeMs = dayPattern.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (!Number.isNaN(timeMs)) return timeMs;
  issues.add(path, "must be a day, such as 2026-11-30");
  return 0;
}

function add(group: UsageGroup, { tokens, providerFee, bandwidthFee }: UsageRecord): void {
  group.calls += 1n;
  group.inputTokens += BigInt(tokens.input);
  group.outputTokens += BigInt(tokens.output);
  group.providerFeeUsd = addDecimals(group.providerFeeUsd, providerFee);
  group.bandwidthFeeUsd = addDecimals(group.bandwidthFeeUsd, bandwidthFee);
  group.totalFeeUsd = addDecimals(group.providerFeeUsd, group.bandwidthFeeUsd);
}
