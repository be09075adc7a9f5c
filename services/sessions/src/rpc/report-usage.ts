import { create } from "@bufbuild/protobuf";
import { ReportUsageResponseSchema, type UsageGroup, UsageGroupSchema } from "@muster/proto/sessions";
import { adminOf, Issues } from "@muster/rpc";
import { addDecimals } from "@muster/service/money";
import type { UsageRecord } from "../store/usage-document.ts";
import type { Handler } from "./handler.ts";

const dayMs = 86_400_000;
const maxDays = 400;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

const names: Record<string, (record: UsageRecord) => string> = {
  agent: ({ workforceAgentId, agentId }) => workforceAgentId ?? agentId ?? "",
  key: ({ keyId }) => keyId ?? "",
  subject: ({ subject }) => subject ?? "",
  model: ({ modelId }) => modelId,
  day: ({ at }) => at.toISOString().slice(0, 10),
};

export const reportUsage: Handler<"reportUsage"> = async (context, { from, to, groupBy }, call) => {
  const { projectId } = adminOf(call);
  const issues = new Issues();
  const [fromMs, toMs] = [dayOf(issues, "from", from), dayOf(issues, "to", to)];
  if (fromMs > toMs) issues.add("from", "must not be after to");
  if (toMs - fromMs > maxDays * dayMs) issues.add("from", `must be at most ${maxDays} days before to`);
  const nameOf = Object.hasOwn(names, groupBy) ? names[groupBy] : undefined;
  if (nameOf === undefined) issues.add("groupBy", `must be one of ${Object.keys(names).join(", ")}`);
  issues.refuse();
  const groups = new Map<string, UsageGroup>();
  const total = create(UsageGroupSchema, none);
  const records = context.usage.between(projectId, new Date(fromMs), new Date(toMs + dayMs));
  for await (const record of records) {
    const name = nameOf?.(record) ?? "";
    const group = groups.get(name) ?? create(UsageGroupSchema, { name, ...none });
    groups.set(name, group);
    for (const each of [group, total]) add(each, record);
  }
  const inOrder = [...groups.values()].sort((a, b) =>
    groupBy === "day" ? a.name.localeCompare(b.name) : Number(b.totalFeeUsd) - Number(a.totalFeeUsd),
  );
  return create(ReportUsageResponseSchema, { groups: inOrder, total });
};

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
