import type { UsageGroup, UsageReport } from "@muster/client";
import { count, money } from "../../parts/format.ts";

export const amountTitles = [
  "Calls",
  "Input tokens",
  "Output tokens",
  "Providers",
  "Platform fee",
  "Cost",
] as const;

/** In the order of the titles. */
export function amountCells(group: UsageGroup): string[] {
  return [
    ...[group.calls, group.inputTokens, group.outputTokens].map(count),
    ...[group.providerFeeUsd, group.bandwidthFeeUsd, group.totalFeeUsd].map(money),
  ];
}

/** The columns of the route's own CSV, and the names of ids if they have one. */
export function csvOf({ groupBy, groups }: UsageReport, nameOf?: (id: string | null) => string) {
  const columns = [
    ...(["calls", "inputTokens", "outputTokens"] as const),
    ...(["providerFeeUsd", "bandwidthFeeUsd", "totalFeeUsd"] as const),
  ];
  const rows = groups.map((group) => [
    group.name ?? "",
    ...(nameOf === undefined ? [] : [nameOf(group.name)]),
    ...columns.map((column) => group[column]),
  ]);
  return [[groupBy, ...(nameOf === undefined ? [] : ["name"]), ...columns], ...rows];
}
